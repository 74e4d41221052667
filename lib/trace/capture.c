#include "trace/capture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "proc/read.h"

/* Threads that only wake now and then are caught asleep. */
#define TRIES 5

/* The files of a thread that tell whether it moved, kept open over the copy. */
struct watch {
	int syscall;
	int sched; /* schedstat, or status where the kernel does not keep it */
	bool status;
};

/* What must read the same before and after the copy. */
struct bracket {
	char syscall[256];
	char sched[96]; /* a thread that woke and blocked again in the same call was scheduled */
	struct nh_syscall call;
};

static int open_file(const struct nh_mem *m, int64_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%lld/%s", (long long)tid, name);
	return nh_file_open(m->dir, path);
}

static int read_start(int fd, char *buf, size_t cap)
{
	ssize_t n = pread(fd, buf, cap - 1, 0);

	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return (int)n;
}

static int read_switches(const struct watch *w, char *buf, size_t cap)
{
	struct nh_status_file status;
	char text[4096];
	int rc;

	if (!w->status)
		return read_start(w->sched, buf, cap);
	rc = read_start(w->sched, text, sizeof(text));
	if (rc >= 0)
		rc = nh_parse_status(text, (size_t)rc, &status);
	if (!rc)
		snprintf(buf, cap, "%lld %lld", (long long)status.vcsw, (long long)status.nvcsw);
	return rc;
}

static int read_bracket(const struct watch *w, struct bracket *ret)
{
	int rc = read_start(w->syscall, ret->syscall, sizeof(ret->syscall));

	if (rc >= 0)
		rc = nh_parse_syscall(ret->syscall, (size_t)rc, &ret->call);
	if (rc)
		return rc;
	if (ret->call.running)
		return -EAGAIN;
	rc = read_switches(w, ret->sched, sizeof(ret->sched));
	return rc < 0 ? rc : 0;
}

static void end_watch(const struct watch *w)
{
	if (w->syscall >= 0)
		close(w->syscall);
	if (w->sched >= 0)
		close(w->sched);
}

static int begin_watch(const struct nh_mem *m, int64_t tid, struct watch *ret)
{
	char text[96];
	int rc = 0;

	*ret = (struct watch){ .syscall = open_file(m, tid, "syscall") };
	ret->sched = open_file(m, tid, "schedstat");
	/* "0 0 0" is a kernel that was told not to count. */
	if (ret->sched < 0 || read_start(ret->sched, text, sizeof(text)) <= 0 ||
		!strcmp(text, "0 0 0\n")) {
		if (ret->sched >= 0)
			close(ret->sched);
		ret->sched = open_file(m, tid, "status");
		ret->status = true;
	}
	if (ret->syscall < 0 || ret->sched < 0) {
		rc = ret->syscall < 0 ? ret->syscall : ret->sched;
		end_watch(ret);
	}
	return rc;
}

static bool same(const struct bracket *a, const struct bracket *b)
{
	return !strcmp(a->syscall, b->syscall) && !strcmp(a->sched, b->sched);
}

/* The kernel copies up to the first page that is not there and says how far it came. */
static void copy_part(
	int64_t pid, uint64_t base, size_t want, unsigned char *buf, struct nh_part *part)
{
	struct iovec local = { buf, want };
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	struct iovec remote = { (void *)(uintptr_t)base, want };
	ssize_t got = process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0);

	part->base = base;
	part->bytes = buf;
	part->len = got > 0 ? (size_t)got : 0;
	part->cut = part->len == want;
}

static bool read_at(int64_t pid, uint64_t addr, void *dst, size_t n)
{
	struct iovec local = { dst, n }, remote = { .iov_len = n };

	remote.iov_base = (void *)(uintptr_t)addr; /* NOLINT(performance-no-int-to-ptr) */
	return process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) == (ssize_t)n;
}

/* The page that the last node was in: its neighbours are often there too. */
struct page {
	uint64_t addr;
	unsigned char bytes[4096];
};

static bool read_near(int64_t pid, struct page *p, uint64_t addr, void *dst, size_t n)
{
	uint64_t at = addr % sizeof(p->bytes), start = addr - at;

	if (at + n > sizeof(p->bytes))
		return read_at(pid, addr, dst, n);
	if (p->addr != start) {
		p->addr = 0;
		if (!read_at(pid, start, p->bytes, sizeof(p->bytes)))
			return false;
		p->addr = start;
	}
	memcpy(dst, p->bytes + at, n);
	return true;
}

static uint64_t word_at(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Bounded by the room: a list that goes round ends there. */
static void copy_chain(int64_t pid, const struct nh_chain *c, unsigned char *buf, size_t room,
	struct nh_nodes *ret)
{
	struct page page;
	uint64_t node;

	page.addr = 0;
	*ret = (struct nh_nodes){ 0 };
	if (!c->head || c->head_bytes > room || !read_at(pid, c->head, buf, c->head_bytes))
		return;
	ret->bytes = buf;
	ret->len = c->head_bytes;
	node = word_at(buf + c->first);
	if (node && c->hop >= 0 && !read_at(pid, node + (uint32_t)c->hop, &node, sizeof(node)))
		node = 0;
	while (node) {
		unsigned char *to = buf + ret->len;

		if (room - ret->len < sizeof(node) + c->node_bytes ||
			!read_near(pid, &page, node, to + sizeof(node), c->node_bytes)) {
			ret->cut = true;
			return;
		}
		memcpy(to, &node, sizeof(node));
		ret->len += sizeof(node) + c->node_bytes;
		ret->n++;
		node = word_at(to + sizeof(node) + c->next);
	}
}

static void copy_chains(
	int64_t pid, const struct nh_window *w, unsigned char *buf, struct nh_stack_copy *copy)
{
	size_t used = 0;

	for (size_t i = 0; i < NH_CHAINS; i++) {
		copy_chain(pid, &w->chain[i], buf + used, NH_CHAINS_BYTES - used, &copy->nodes[i]);
		used += copy->nodes[i].len;
	}
}

int nh_copy_parts(
	int64_t pid, const struct nh_window *w, unsigned char *buf, struct nh_stack_copy *copy)
{
	uint64_t base[NH_PARTS] = { copy->sp - NH_RED_ZONE };

	memcpy(base + 1, w->also, sizeof(w->also));
	for (size_t i = 0; i < NH_PARTS; i++) {
		if (base[i])
			copy_part(pid, base[i], w->bytes, buf + i * w->bytes, &copy->part[i]);
		else
			copy->part[i] = (struct nh_part){ 0 };
	}
	copy_chains(pid, w, buf + NH_PARTS * w->bytes, copy);
	return copy->part[0].len > NH_RED_ZONE ? 0 : -EFAULT;
}

static void set_reg(struct nh_stack_copy *copy, int reg, uint64_t value)
{
	copy->regs[reg] = value;
	copy->known |= 1ULL << reg;
}

/* The registers that carry arguments are as the program set them, and some frames need one: vfork
 * keeps its return address in the first. */
static void set_regs(const struct nh_syscall *call, struct nh_stack_copy *copy)
{
#if defined(__aarch64__)
	static const int argument[] = { -1, 1, 2, 3, 4, 5 }; /* x0 is overwritten by the result */
#else
	static const int argument[] = { 5, 4, 1, 10, 8, 9 }; /* rdi rsi rdx r10 r8 r9 */
#endif

	copy->sp = call->sp;
	copy->pc = call->pc;
	copy->known = 0;
	set_reg(copy, NH_REG_SP, call->sp);
	set_reg(copy, NH_REG_PC, call->pc);
	for (int i = 0; i < 6 && call->nr >= 0; i++)
		if (argument[i] >= 0)
			set_reg(copy, argument[i], call->args[i]);
}

static int copy_between(const struct nh_mem *m, const struct watch *watch,
	const struct nh_window *w, unsigned char *buf, struct nh_stack_copy *ret)
{
	struct bracket before, after;
	int rc = read_bracket(watch, &before);

	if (rc)
		return rc;
	set_regs(&before.call, ret);
	rc = nh_copy_parts(m->pid, w, buf, ret);
	if (!rc)
		rc = read_bracket(watch, &after);
	return !rc && !same(&before, &after) ? -EAGAIN : rc;
}

int nh_capture_blocked(const struct nh_mem *m, int64_t tid, const struct nh_window *w,
	unsigned char *buf, struct nh_stack_copy *ret)
{
	struct watch watch;
	int rc = begin_watch(m, tid, &watch);

	if (rc)
		return rc;
	*ret = (struct nh_stack_copy){ .tid = tid };
	rc = -EAGAIN;
	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = copy_between(m, &watch, w, buf, ret);
	end_watch(&watch);
	return rc;
}
