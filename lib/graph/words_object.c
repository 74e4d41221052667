#include <stdlib.h>
#include <string.h>
#include "graph/words.h"
#include "base/str.h"

/* What d_path shows of an anonymous inode, and what people call it. */
static const struct {
	const char *path, *word, *words;
} anons[] = {
	{ "anon_inode:[eventfd]", "eventfd", "an eventfd" },
	{ "anon_inode:[eventpoll]", "epoll", "an epoll descriptor" },
	{ "anon_inode:[timerfd]", "timerfd", "a timerfd" },
	{ "anon_inode:[signalfd]", "signalfd", "a signalfd" },
	{ "anon_inode:inotify", "inotify", "an inotify descriptor" },
	{ "anon_inode:[io_uring]", "io_uring", "an io_uring" },
	{ "anon_inode:[pidfd]", "pidfd", "a pidfd" },
	{ "anon_inode:[userfaultfd]", "userfaultfd", "a userfaultfd" },
	{ NULL, "anonymous", "an anonymous descriptor" },
};

static size_t anon_of(const struct nh_fd *fd)
{
	size_t i = 0;

	while (anons[i].path && !nh_streq(anons[i].path, fd->path))
		i++;
	return i;
}

const char *nh_fd_word(const struct nh_fd *fd)
{
	static const char *const words[] = { "unknown", "socket", "pipe", "file", "", "other",
		"closed", "FIFO" };

	if (fd->kind == NH_FD_ANON)
		return anons[anon_of(fd)].word;
	return fd->kind == NH_FD_PIPE && fd->path ? "FIFO" : words[fd->kind];
}

const char *nh_fd_words(const struct nh_fd *fd)
{
	static const char *const words[] = { "a descriptor", "a socket", "a pipe", "a file", "",
		"a descriptor", "a descriptor that is closed", "a FIFO" };

	if (fd->kind == NH_FD_ANON)
		return anons[anon_of(fd)].words;
	return fd->kind == NH_FD_PIPE && fd->path ? "a FIFO" : words[fd->kind];
}

const char *nh_name_object(struct nh_arena *a, const struct nh_fd *fd)
{
	const char *word = nh_fd_word(fd);

	if (fd->inode > 0 && fd->path)
		return nh_arena_printf(a, "%s %s", word, fd->path);
	if (fd->inode > 0)
		return nh_arena_printf(a, "%s %jd", word, (intmax_t)fd->inode);
	if (fd->id != NH_UNKNOWN)
		return nh_arena_printf(a, "%s %jd", word, (intmax_t)fd->id);
	return nh_arena_printf(
		a, "%s, fd %jd of pid %jd", word, (intmax_t)fd->fd, (intmax_t)fd->pid);
}

static const char *end_words(const struct nh_fd *fd)
{
	if (nh_streq(fd->mode, "r"))
		return ", read end";
	if (nh_streq(fd->mode, "w"))
		return ", write end";
	return nh_streq(fd->mode, "rw") ? ", both ends" : "";
}

/* What an eventfd or a timerfd says of itself. */
static const char *state_words(struct nh_arena *a, const struct nh_fd *fd)
{
	if (fd->count != NH_UNKNOWN)
		return nh_arena_printf(a, ", its counter is %jd", (intmax_t)fd->count);
	if (fd->timer_ms == 0)
		return ", not set";
	if (fd->timer_ms != NH_UNKNOWN)
		return nh_arena_printf(a, ", it expires in %jd ms", (intmax_t)fd->timer_ms);
	return "";
}

static const char *waiter_fact(
	struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	struct nh_wait w = nh_graph_wait(g, e->from.row);
	const struct nh_fd *fd = e->fd;
	const char *end = fd->kind == NH_FD_PIPE ? end_words(fd) : state_words(a, fd);

	if (e->kind == NH_EDGE_OPENS)
		return nh_arena_printf(a,
			"%s to %s: it returns only once somebody has opened the other end", w.call,
			nh_streq(fd->mode, "w") ? "write" : "read");
	if (e->kind != NH_EDGE_POLLS)
		return nh_arena_printf(
			a, "%s: fd %jd%s", nh_wait_words(a, &w), (intmax_t)fd->fd, end);
	return nh_arena_printf(a, "%s: slot %jd is fd %jd%s", nh_wait_words(a, &w),
		(intmax_t)e->wait->slot, (intmax_t)fd->fd, end);
}

const char *nh_object_fact(struct nh_arena *a, const struct nh_graph *g, const struct nh_edge *e)
{
	if (e->kind != NH_EDGE_HELD_BY)
		return waiter_fact(a, g, e);
	return nh_arena_printf(a, "fd %jd of pid %jd%s is %s%s", (intmax_t)e->fd->fd,
		(intmax_t)e->fd->pid,
		e->fd->tid == NH_UNKNOWN
			? ""
			: nh_arena_printf(a, " (in the unshared table of thread %jd)",
				  (intmax_t)e->fd->tid),
		nh_name_object(a, e->fd), end_words(e->fd));
}

struct counted {
	const char *word;
	int64_t n;
};

static int most_first(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->word, y->word);
}

const char *nh_set_words(struct nh_arena *a, const struct nh_index *ix, const struct nh_thread *t)
{
	NH_VEC(struct counted) seen = { 0 };
	const char *text = "";

	nh_for(w, &t->waits) {
		const struct nh_fd *fd = nh_index_fd(ix, t, w->fd);
		const char *word = fd ? nh_fd_word(fd) : "unknown";
		struct counted *c = seen.v;

		while (c < seen.v + seen.n && strcmp(c->word, word) != 0)
			c++;
		if (c == seen.v + seen.n) {
			c = nh_push(a, &seen);
			*c = (struct counted){ word, 0 };
		}
		c->n++;
	}
	if (seen.n)
		qsort(seen.v, seen.n, sizeof(*seen.v), most_first);
	nh_for(c, &seen)
		text = nh_arena_printf(a, "%s%s%jd %s%s", text, *text ? ", " : "", (intmax_t)c->n,
			c->word, c->n == 1 ? "" : "s");
	return text;
}
