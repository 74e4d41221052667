/* Lines of the kernel's log as it printed them, and lines that only look so. */
#include "tap.h"
#include "know/kernel_lines.h"
#include "model/field.h"
#include "proc/parse.h"

#include <errno.h>
#include <string.h>

static struct nh_kernel_line line(const char *s)
{
	struct nh_kernel_line l;

	return nh_kernel_line_of(s, strlen(s), &l) ? l : (struct nh_kernel_line){ 0 };
}

static bool is_word(struct nh_kernel_word w, const char *s)
{
	return w.n == strlen(s) && !memcmp(w.s, s, w.n);
}

static void memory(void)
{
	struct nh_kernel_line l =
		line("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
		     "mems_allowed=0,oom_memcg=/pod,task_memcg=/pod/job,task=python3,"
		     "pid=1135,uid=0");

	ok(l.kind == NH_KERNEL_OOM && l.pid == 1135);
	ok(is_word(l.comm, "python3") && is_word(l.cgroup, "/pod/job"));
	l = line("Memory cgroup out of memory: Killed process 1135 (pt_data (1)) total-vm:49496kB, "
		 "anon-rss:39552kB, file-rss:3672kB, shmem-rss:0kB, UID:0 pgtables:132kB "
		 "oom_score_adj:0");
	ok(l.kind == NH_KERNEL_OOM && l.pid == 1135 && !l.cgroup.n);
	l = line("Out of memory: Killed process 7 (python) total-vm:1kB");
	ok(l.kind == NH_KERNEL_OOM && l.pid == 7 && is_word(l.comm, "python"));
	ok(!line("Out of memory: Killed process x (python)").kind);
	ok(!line("Out of memory: Killed process 7").kind);
	ok(!line("python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0").kind);
	ok(!line("a user wrote: Out of memory: Killed process 7 (python)").kind);
}

static void devices(void)
{
	struct nh_kernel_line l = line(
		"NVRM: Xid (PCI:0000:3b:00): 79, pid=2077, name=python, GPU has fallen off the bus.");

	ok(l.kind == NH_KERNEL_XID && l.number == 79 && l.pid == 2077);
	ok(is_word(l.device, "0000:3b:00") && is_word(l.comm, "python"));
	ok(nh_xid_words(l.number) && !nh_xid_words(92));
	l = line("NVRM: Xid (PCI:0000:3b:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal");
	ok(l.kind == NH_KERNEL_XID && l.number == 74 && l.pid == NH_UNKNOWN);
	l = line("NVRM: Xid (0000:3b:00): 45, Ch 00000010");
	ok(l.kind == NH_KERNEL_XID && l.number == 45 && is_word(l.device, "0000:3b:00"));
	l = line("INFO: task cache_mgr_event:4112 blocked for more than 120 seconds.");
	ok(l.kind == NH_KERNEL_HUNG && l.pid == 4112 && l.number == 120);
	ok(is_word(l.comm, "cache_mgr_event"));
	l = line("nfs: server store01 not responding, still trying");
	ok(l.kind == NH_KERNEL_NO_ANSWER && is_word(l.device, "store01"));
	ok(line("nfs: server store01 OK").kind == NH_KERNEL_ANSWERS);
	ok(!line("").kind && !line("NVRM: Xid (PCI:").kind);
}

static void records(void)
{
	static const char text[] = "3,429,3002974397,-,caller=T12;a line\n SUBSYSTEM=x\n";
	struct nh_kmsg r;

	ok(!nh_parse_kmsg(text, sizeof(text) - 1, &r) && r.at_us == 3002974397);
	ok(r.text.n == 6 && !memcmp(r.text.s, "a line", 6));
	ok(nh_parse_kmsg("3,429,1,-", 9, &r) == -EINVAL);
	ok(nh_parse_kmsg("", 0, &r) == -EINVAL);
}

int main(void)
{
	memory();
	devices();
	records();
	return done();
}
