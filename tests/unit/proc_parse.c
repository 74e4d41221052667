/* The parsers on text as kernels print it, and on text that none does. */
#include "tap.h"
#include "proc/parse.h"
#include "model/process.h"

#include <errno.h>

#define TEXT(s) (s), sizeof(s) - 1

#define STAT_TAIL                                                                                  \
	"5206 5207 3161 34816 -1 4194304 132 0 1 0 11 12 0 0 20 0 3 0 82215 2990080 373 "          \
	"18446744073709551615 94170611380224 0\n"

static void stat_file(void)
{
	struct nh_stat st;

	ok(!nh_parse_stat(TEXT("5208 (sleep) S " STAT_TAIL), &st));
	ok(st.pid == 5208 && st.ppid == 5206 && st.pgrp == 5207 && st.session == 3161);
	ok(st.state == 'S' && st.flags == 4194304 && st.utime == 11 && st.stime == 12);
	ok(st.nthreads == 3 && st.start == 82215);
	is(st.comm, "sleep");
	ok(!nh_parse_stat(TEXT("1 (a) R 1 (b\n) Z " STAT_TAIL), &st));
	is(st.comm, "a) R 1 (b\n");
	ok(st.state == 'Z' && st.ppid == 5206);
	ok(!nh_parse_stat(TEXT("1 (\xff\x80) T " STAT_TAIL), &st) && st.comm_len == 2);
	ok(!nh_parse_stat(TEXT("1 () T " STAT_TAIL), &st) && !st.comm_len);
	ok(nh_parse_stat(TEXT(""), &st) == -EINVAL);
	ok(nh_parse_stat(TEXT("1 (sleep"), &st) == -EINVAL);
	ok(nh_parse_stat(TEXT("1 (sleep)"), &st) == -EINVAL);
	ok(nh_parse_stat(TEXT("1 (sleep) S 1 2 3"), &st) == -EINVAL);
	ok(nh_parse_stat(TEXT(") 1 ( S " STAT_TAIL), &st) == -EINVAL);
	ok(nh_parse_stat(TEXT("1 (0123456789012345678901234567890123456789012345678901234567890123"
			      ") S " STAT_TAIL),
		   &st) == -EINVAL);
}

static void status_file(void)
{
	struct nh_status_file st;
	char deep[NH_NS_DEPTH * 3 + 64] = "Tgid:\t1\nNSpid:\t";

	ok(!nh_parse_status(
		TEXT("Name:\ta\\nTgid:\t9\nTgid:\t12\nTracerPid:\t7\nUid:\t1000\t0\t0\t0\n"
		     "NSpid:\t12\t3\t1\nSigCgt:\t0000000100004002\nVmRSS:\t     44 kB\n"
		     "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t2\n"),
		&st));
	ok(st.tgid == 12 && st.tracer == 7 && st.uid == 1000 && st.vmrss_kb == 44);
	ok(st.vcsw == 150 && st.nvcsw == 2 && st.sigcgt == 0x100004002);
	ok(st.nnspid == 3 && st.nspid[0] == 12 && st.nspid[1] == 3 && st.nspid[2] == 1);
	ok(!nh_parse_status(TEXT("Tgid:\t1\n"), &st) && st.vmrss_kb == NH_UNKNOWN);
	ok(!st.nnspid && st.vcsw == NH_UNKNOWN && st.uid == NH_UNKNOWN);
	ok(nh_parse_status(TEXT(""), &st) == -EINVAL);
	ok(nh_parse_status(TEXT("Tgid:\tx\n"), &st) == -EINVAL);
	for (int i = 0; i < NH_NS_DEPTH; i++)
		strcat(deep, " 1");
	ok(!nh_parse_status(deep, strlen(deep), &st) && st.nnspid == NH_NS_DEPTH);
	strcat(deep, " 1");
	ok(nh_parse_status(deep, strlen(deep), &st) == -EINVAL);
}

static void kernel_side(void)
{
	static const char stack[] = "[<0>] request_wait_answer+0x112/0x210\n"
				    "[<ffffffff81000000>] nvidia_ioctl+0x1/0x2 [nvidia]\n"
				    "not a frame\n[<0>] bare\n[<0>] ";
	struct nh_status_file st;
	struct nh_stat stat;
	struct nh_text f;
	size_t pos = 0;

	ok(!nh_parse_status(TEXT("Tgid:\t1\nSigPnd:\t0000000000000100\nShdPnd:\t0\n"), &st));
	ok(st.killed);
	ok(!nh_parse_status(TEXT("Tgid:\t1\nShdPnd:\t0000000000000100\n"), &st) && st.killed);
	ok(!nh_parse_status(TEXT("Tgid:\t1\nSigPnd:\t00000000000000ff\nSigBlk:\t100\n"), &st));
	ok(!st.killed);
	ok(!nh_parse_stat(TEXT("1 (a) Z " STAT_TAIL), &stat) && stat.exit_code == NH_UNKNOWN);
	ok(!nh_parse_stat(
		   TEXT("1 (a) Z 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 "
			"26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 9\n"),
		   &stat) &&
		stat.exit_code == 9);
	ok(nh_parse_kernel_frame(TEXT(stack), &pos, &f) == 1 && f.n == 19);
	ok(!memcmp(f.s, "request_wait_answer", f.n));
	ok(nh_parse_kernel_frame(TEXT(stack), &pos, &f) == 1 && !memcmp(f.s, "nvidia_ioctl", f.n));
	ok(nh_parse_kernel_frame(TEXT(stack), &pos, &f) == 1 && f.n == 4);
	ok(!nh_parse_kernel_frame(TEXT(stack), &pos, &f));
}

static void mount_table(void)
{
	static const char text[] =
		"36 35 98:0 /mnt1 /a\\040b rw,noatime master:1 shared:2 - nfs4 srv:/x rw\n"
		"1 1 0:1 / / rw - fuse.weka store rw\n";
	struct nh_mountinfo m;
	char point[] = "/a\\040b\\04\\";
	size_t pos = 0;

	ok(nh_parse_mount(TEXT(text), &pos, &m) == 1 && m.id == 36);
	ok(m.point.n == 7 && !memcmp(m.fstype.s, "nfs4", m.fstype.n));
	ok(m.source.n == 6 && !memcmp(m.source.s, "srv:/x", m.source.n));
	ok(nh_parse_mount(TEXT(text), &pos, &m) == 1 && m.id == 1 && m.point.n == 1);
	ok(m.fstype.n == 9 && !nh_parse_mount(TEXT(text), &pos, &m));
	pos = 0;
	ok(nh_parse_mount(TEXT("36 35 98:0 /mnt1 /a rw,noatime\n"), &pos, &m) == -EINVAL);
	ok(nh_unescape_octal(point, sizeof(point) - 1) == 8 && !memcmp(point, "/a b\\04\\", 8));
}

static void control_groups(void)
{
	static const char groups[] = "9:name=systemd:/\n4:cpu,memory:/a:b\n6:freezer:/f\n0::/u\n";
	struct nh_text path;

	ok(nh_parse_cgroup(TEXT(groups), "memory", &path) && path.n == 4);
	ok(!memcmp(path.s, "/a:b", 4));
	ok(nh_parse_cgroup(TEXT(groups), "", &path) && !memcmp(path.s, "/u", path.n));
	ok(nh_parse_cgroup(TEXT(groups), "freezer", &path) && !memcmp(path.s, "/f", path.n));
	ok(!nh_parse_cgroup(TEXT(groups), "mem", &path));
	ok(nh_parse_key_value(TEXT("oom 5\noom_kill 3\noom_group_kill 1\n"), "oom_kill") == 3);
	ok(nh_parse_key_value(TEXT("oom 5\n"), "oom_kill") == NH_UNKNOWN);
	ok(nh_parse_key_value(TEXT("4096\n"), NULL) == 4096);
	ok(nh_parse_key_value(TEXT("max\n"), NULL) == NH_UNKNOWN);
}

static void syscall_file(void)
{
	struct nh_syscall sc;

	ok(!nh_parse_syscall(TEXT("running\n"), &sc) && sc.running);
	ok(!nh_parse_syscall(TEXT("-1 0x7ffc 0x7f31\n"), &sc) && !sc.running);
	ok(sc.nr == -1 && sc.sp == 0x7ffc && sc.pc == 0x7f31 && !sc.args[0]);
	ok(!nh_parse_syscall(TEXT("202 0x1 0x109 0x3 0x4 0x5 0xffffffffffffffff 0x7 0x8\n"), &sc));
	ok(sc.nr == 202 && sc.args[1] == 0x109 && sc.args[5] == UINT64_MAX && sc.pc == 8);
	ok(nh_parse_syscall(TEXT(""), &sc) == -EINVAL);
	ok(nh_parse_syscall(TEXT("-2 0x1 0x2\n"), &sc) == -EINVAL);
	ok(nh_parse_syscall(TEXT("0 0x1 0x2 0x3 0x4 0x5 0x6 0x7\n"), &sc) == -EINVAL);
	ok(nh_parse_syscall(TEXT("-1 0x1ffffffffffffffff 0x2\n"), &sc) == -EINVAL);
}

static void maps_file(void)
{
	static const char text[] =
		"55a5cdd6d000-55a5cdd6f000 r-xp 00002000 fe:00 248056       /usr/bin/sleep\n"
		"7f3148223000-7f3148226000 rw-s 00000000 00:00 0 \n"
		"7f31483f9000-7f31483fb000 rw-p 001d3000 103:02 332835 /a b\\012c (deleted)\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		"[vsyscall]";
	struct nh_map m;
	size_t pos = 0;

	ok(nh_parse_map(TEXT(text), &pos, &m) == 1);
	ok(m.start == 0x55a5cdd6d000 && m.end == 0x55a5cdd6f000 && m.offset == 0x2000);
	ok(m.inode == 248056 && !m.deleted && m.path_len == 14);
	ok(!strcmp(m.perms, "r-xp") && !memcmp(m.path, "/usr/bin/sleep", 14));
	ok(nh_parse_map(TEXT(text), &pos, &m) == 1 && !m.path_len && !strcmp(m.perms, "rw-s"));
	ok(nh_parse_map(TEXT(text), &pos, &m) == 1 && m.deleted);
	ok(m.path_len == 9 && !memcmp(m.path, "/a b\\012c", 9));
	ok(nh_parse_map(TEXT(text), &pos, &m) == 1 && m.end == 0xffffffffff601000);
	ok(m.path_len == 10 && !memcmp(m.path, "[vsyscall]", 10));
	ok(nh_parse_map(TEXT(text), &pos, &m) == 0);
	pos = 0;
	ok(nh_parse_map(TEXT("nonsense\n"), &pos, &m) == -EINVAL && pos == 9);
	pos = 0;
	ok(nh_parse_map(TEXT("2000-1000 r-xp 0 0:0 0\n"), &pos, &m) == -EINVAL);
	pos = 0;
	ok(nh_parse_map(TEXT("1000-2000 rr-p 0 0:0 0\n"), &pos, &m) == -EINVAL);
}

static void fd_files(void)
{
	static const struct {
		const char *link;
		int kind;
		int64_t inode;
	} links[] = {
		{ "socket:[12345]", NH_FD_SOCKET, 12345 },
		{ "pipe:[7]", NH_FD_PIPE, 7 },
		{ "pipe:[]", NH_FD_OTHER, NH_UNKNOWN },
		{ "socket:[99999999999999999999]", NH_FD_OTHER, NH_UNKNOWN },
		{ "/socket:[1]", NH_FD_FILE, NH_UNKNOWN },
		{ "/tmp/x (deleted)", NH_FD_FILE, NH_UNKNOWN },
		{ "(unreachable)/x", NH_FD_FILE, NH_UNKNOWN },
		{ "anon_inode:[eventpoll]", NH_FD_ANON, NH_UNKNOWN },
		{ "anon_inode:inotify", NH_FD_ANON, NH_UNKNOWN },
		{ "net:[4026531840]", NH_FD_OTHER, NH_UNKNOWN },
		{ "", NH_FD_OTHER, NH_UNKNOWN },
	};
	static const char epoll[] = "pos:\t0\nflags:\t02\nmnt_id:\t15\n"
				    "tfd:        5 events:       19 data: 5  pos:0 ino:1 sdev:8\n"
				    "tfd: broken\n"
				    "tfd:       12 events: 8000001d data: c  pos:0 ino:2 sdev:8\n";
	struct nh_fdinfo info;
	int64_t inode, fd;
	uint64_t events;
	size_t pos = 0;

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		int kind = nh_parse_fd_link(links[i].link, strlen(links[i].link), &inode);

		if (!ok(kind == links[i].kind && inode == links[i].inode))
			printf("# %s\n", links[i].link);
	}
	ok(!nh_parse_fdinfo(TEXT("pos:\t0\nflags:\t02004002\nscm_fds: 3\n"), &info));
	ok(info.flags == 02004002 && info.scm_fds == 3);
	ok(!nh_parse_fdinfo(
		TEXT("flags:\t02\neventfd-count:               1f\neventfd-id: 7\n"), &info));
	ok(info.eventfd_count == 31 && info.eventfd_id == 7 && info.timer_ms == NH_UNKNOWN);
	ok(!nh_parse_fdinfo(TEXT("it_value: (2, 1)\nit_interval: (1, 0)\n"), &info));
	ok(info.timer_ms == 2001);
	ok(!nh_parse_fdinfo(TEXT("it_value: (0, 0)\n"), &info) && info.timer_ms == 0);
	ok(nh_parse_fdinfo(TEXT("it_value: (0, -1)\n"), &info) == -EINVAL);
	ok(nh_parse_fdinfo(TEXT("it_value: 1, 0\n"), &info) == -EINVAL);
	ok(!nh_parse_fdinfo(TEXT("pos:\t0\n"), &info));
	ok(info.flags == NH_UNKNOWN && info.scm_fds == NH_UNKNOWN);
	ok(nh_parse_fdinfo(TEXT("flags:\t9\n"), &info) == -EINVAL);
	ok(nh_parse_fdinfo_epoll(TEXT(epoll), &pos, &fd, &events) == 1 && fd == 5 &&
		events == 0x19);
	ok(nh_parse_fdinfo_epoll(TEXT(epoll), &pos, &fd, &events) == 1 && fd == 12);
	ok(events == 0x8000001d);
	ok(nh_parse_fdinfo_epoll(TEXT(epoll), &pos, &fd, &events) == 0);
}

int main(void)
{
	stat_file();
	status_file();
	kernel_side();
	mount_table();
	control_groups();
	syscall_file();
	maps_file();
	fd_files();
	return done();
}
