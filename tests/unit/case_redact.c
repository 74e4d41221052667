#include "tap.h"
#include "case_fill.h"
#include "base/str.h"
#include "case/redact.h"

static struct nh_arena arena;

static struct nh_socket *add_socket(struct nh_case *c, const char *local, const char *remote)
{
	struct nh_socket *s = nh_case_row(c, socket, sockets);

	s->inode = 7;
	s->local = local;
	s->remote = remote;
	return s;
}

static struct nh_case *sample(void)
{
	struct nh_case *c = nh_new(&arena, struct nh_case, 1);
	struct nh_finding *f;
	struct nh_process *p;

	nh_row_init(&nh_case_header_type, c);
	c->arena = &arena;
	c->id = "aaaa";
	c->host = "node17";
	c->boot_id = "1b4e28ba-2fa1";
	p = nh_case_row(c, process, processes);
	p->pid = 4711;
	p->comm = "trainer";
	p->exe = "/home/alice/secretproj/bin/trainer (deleted)";
	p->cmdline = "/home/alice/secretproj/bin/trainer --lr=3 --data /data/acme/x.bin 8 -v acme";
	p->cgroup = "/docker/0f3a9c";
	*nh_push(&arena, &p->env) = "RANK=3";
	*nh_push(&arena, &p->env) = "MASTER_ADDR=node17";
	*nh_push(&arena, &p->env) = "NCCL_SOCKET_IFNAME=ib0";
	*nh_push(&arena, &p->env) = "HOST_IP=10.1.2.3";
	nh_case_row(c, fd, fds)->path = "/home/alice/secretproj/run.lock";
	nh_case_row(c, fd, fds)->path = "anon_inode:[io_uring]";
	nh_case_row(c, module, modules)->path = "/home/alice/venv/lib/libnccl.so.2";
	nh_case_row(c, module, modules)->path = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	add_socket(c, "10.1.2.3:4711", "10.1.2.4:80");
	add_socket(c, "10.1.2.4:80", "10.1.2.3:4711");
	add_socket(c, "[fe80::7]:1", "[::ffff:10.1.2.3]:2");
	add_socket(c, "127.0.0.1:1", "0.0.0.0:0");
	add_socket(c, "@alice-ipc", "/home/alice/ipc.sock");
	f = nh_row_push(&arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);
	f->id = "nccl-teardown-held-socket";
	f->title = "trainer on node17 waits, not node170 or xnode17";
	f->culprit = nh_new(&arena, struct nh_actor, 1);
	f->culprit->host = "node17";
	f->culprit->pid = 4711;
	*nh_push(&arena, &f->evidence) =
		"10.1.2.3:4711 and 10.1.2.30, /home/alice/secretproj/run.lock of alice";
	nh_push(&arena, &c->gaps)->subject = "case aaaa of node17";
	return c;
}

/* What the kernel says of files, locks, groups and devices names people, projects and hosts too. */
static void add_kernel_facts(struct nh_case *c)
{
	struct nh_thread *t = nh_case_row(c, thread, threads);
	struct nh_kernel_event *e = nh_case_row(c, kernel_event, kernel_events);
	struct nh_fd *fd;

	t->path = "/nfs/alice/ckpt/step.pt";
	t->fstype = "nfs4";
	t->mount = "/nfs/alice";
	t->source = "acmefiler:/vol/alice";
	fd = nh_case_row(c, fd, fds);
	fd->path = "/nfs/alice/shard";
	fd->mount = "/nfs/alice";
	fd->source = "acmefiler:/vol/alice";
	nh_case_row(c, file_lock, file_locks)->path = "/nfs/alice/run.lock";
	nh_case_row(c, lock_file, lock_files)->path = "/home/alice/.cache/torch_extensions/lock";
	nh_case_row(c, shared_map, shared_maps)->path = "/dev/shm/alice-ring";
	nh_case_row(c, cgroup, cgroups)->path = "/docker/0f3a9c";
	e->cgroup = "/docker/0f3a9c/acme";
	e->device = "acmefiler";
	e->text = "nfs: server acmefiler not responding, task_memcg=/docker/0f3a9c/acme";
	nh_case_row(c, gpu, gpus)->uuid = "GPU-5f2e-alice";
	nh_push(c->arena, &c->gaps)->why = "acmefiler:/vol/alice is silent; GPU-5f2e-alice too";
}

static void redacts_kernel_facts(void)
{
	struct nh_case *c = nh_new(&arena, struct nh_case, 1);
	char *text;

	nh_row_init(&nh_case_header_type, c);
	c->arena = &arena;
	c->id = "bbbb";
	add_kernel_facts(c);
	nh_case_redact(c);
	is(c->threads.v[0].fstype, "nfs4");
	is(c->threads.v[0].source, c->fds.v[0].source);
	ok(nh_starts_with(c->threads.v[0].path, c->threads.v[0].mount));
	ok(nh_ends_with(c->file_locks.v[0].path, ".lock"));
	ok(nh_starts_with(c->shared_maps.v[0].path, "/dev/shm/"));
	ok(strstr(c->kernel_events.v[0].text, c->kernel_events.v[0].device) != NULL);
	text = case_text(&arena, c);
	ok(!strstr(text, "alice") && !strstr(text, "acme") && !strstr(text, "0f3a9c"));
}

static void redacts(void)
{
	struct nh_case *c = sample();
	struct nh_process *p;
	struct nh_finding *f;
	struct nh_socket *s;
	char *text;

	nh_case_redact(c);
	p = c->processes.v;
	f = c->verdict.findings.v;
	s = c->sockets.v;
	is(c->host, f->culprit->host);
	ok(nh_starts_with(c->host, "host-"));
	is(c->gaps.v[0].subject, nh_arena_printf(&arena, "case aaaa of %s", c->host));
	is(f->title,
		nh_arena_printf(&arena, "trainer on %s waits, not node170 or xnode17", c->host));
	is(p->env.v[0], "RANK=3");
	is(p->env.v[1], nh_arena_printf(&arena, "MASTER_ADDR=%s", c->host));
	ok(nh_starts_with(p->env.v[2], "NCCL_SOCKET_IFNAME=value-"));
	is(p->env.v[3], "HOST_IP=192.0.2.1");
	is(p->comm, "trainer");
	ok(nh_starts_with(p->exe, "/home/name-") && nh_ends_with(p->exe, "/bin/trainer (deleted)"));
	ok(nh_starts_with(p->cmdline, "trainer --lr=... --data /name-"));
	ok(strstr(p->cmdline, ".bin 8 -v name-"));
	ok(nh_starts_with(p->cgroup, "/docker/name-"));
	ok(nh_ends_with(c->fds.v[0].path, ".lock"));
	is(c->fds.v[1].path, "anon_inode:[io_uring]");
	ok(nh_ends_with(c->modules.v[0].path, "/lib/libnccl.so.2"));
	is(c->modules.v[1].path, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	is(s[0].local, "192.0.2.1:4711");
	is(s[0].remote, "192.0.2.2:80");
	is(s[1].local, s[0].remote);
	is(s[1].remote, s[0].local);
	is(s[2].local, "[2001:db8::1]:1");
	is(s[2].remote, "[::ffff:192.0.2.1]:2");
	is(s[3].local, "127.0.0.1:1");
	is(s[3].remote, "0.0.0.0:0");
	ok(nh_starts_with(s[4].local, "@name-"));
	ok(nh_starts_with(s[4].remote, "/home/name-"));
	ok(nh_starts_with(f->evidence.v[0], "192.0.2.1:4711 and 10.1.2.30, /home/name-"));
	text = case_text(&arena, c);
	ok(!strstr(text, "alice") && !strstr(text, "secretproj") && !strstr(text, "acme"));
	ok(!strstr(text, "10.1.2.3:") && !strstr(text, "1b4e28ba") && !strstr(text, "0f3a9c"));
	ok(p->pid == 4711 && s[0].inode == 7);
}

/* More addresses than one documentation block has keep apart. */
static void many_addresses(void)
{
	struct nh_case *c = nh_new(&arena, struct nh_case, 1);
	size_t same = 0;

	c->arena = &arena;
	for (int i = 0; i < 600; i++)
		add_socket(c, nh_arena_printf(&arena, "10.0.%d.%d:1", i / 256, i % 256), NULL);
	nh_case_redact(c);
	for (size_t i = 0; i < 600; i++)
		for (size_t k = 0; k < i; k++)
			same += nh_streq(c->sockets.v[i].local, c->sockets.v[k].local);
	ok(same == 0);
}

int main(void)
{
	redacts();
	redacts_kernel_facts();
	many_addresses();
	nh_arena_free(&arena);
	return done();
}
