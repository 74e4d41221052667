/* Builds and starts tests/live/stack_scene.c, and takes its stacks as one line of names each. */
#ifndef STACK_SCENE_H
#define STACK_SCENE_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/str.h"
#include "proc/read.h"
#include "stack/symbol.h"
#include "stack/take.h"
#include "tap.h"

#define SCENE_THREADS 64

static inline const char *scene_dir(void)
{
	static char dir[512];
	const char *o = getenv("O");

	if (!dir[0]) {
		snprintf(dir, sizeof(dir), "%s/tests/stack", o ? o : "build");
		mkdir(dir, 0755);
	}
	return dir;
}

static inline __attribute__((format(printf, 1, 2))) int shell(const char *fmt, ...)
{
	char command[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return system(command);
}

/* Compiles the scene into a file of scene_dir(); its path, or NULL where the compiler cannot. */
static inline const char *scene_build(const char *cc, const char *flags, const char *name)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s/%s", scene_dir(), name);
	if (shell("%s -std=gnu11 -D_GNU_SOURCE -w %s -o %s tests/live/stack_scene.c "
		  "-pthread >/dev/null 2>&1",
		    cc, flags, path))
		return NULL;
	return path;
}

struct scene {
	pid_t pid;
	int out;
};

/* Reads a process's state letter. */
static inline char scene_state(pid_t pid)
{
	char path[64], text[1024];
	struct nh_stat st = { 0 };
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	n = nh_read_small(AT_FDCWD, path, text, sizeof(text));
	return n > 0 && !nh_parse_stat(text, (size_t)n, &st) ? st.state : 0;
}

static inline int scene_look_for_running(void *ctx, int dirfd, int64_t tid)
{
	char path[48], text[1024];
	struct nh_stat st = { 0 };
	ssize_t n;

	(void)ctx;
	snprintf(path, sizeof(path), "%lld/stat", (long long)tid);
	n = nh_read_small(dirfd, path, text, sizeof(text));
	return n > 0 && !nh_parse_stat(text, (size_t)n, &st) && st.state == 'R';
}

/* Whether a thread of it has not come to its place yet: the one that said so may be on its way. */
static inline bool scene_is_moving(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return nh_each_number(AT_FDCWD, path, scene_look_for_running, NULL) > 0;
}

/* Starts it and waits until it stands.  before, if given, runs in the new process first. */
static inline bool scene_start(const char *path, const char *mode, const char *lib,
	void (*before)(void), struct scene *ret)
{
	int pair[2];
	char byte;

	if (pipe(pair))
		return false;
	ret->pid = fork();
	if (!ret->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pair[1], 1);
		if (before)
			before();
		execl(path, path, mode, lib, NULL);
		_exit(127);
	}
	close(pair[1]);
	ret->out = pair[0];
	if (read(pair[0], &byte, 1) != 1)
		return false;
	for (int i = 0; i < 200 && strcmp(mode, "spin") != 0 && scene_is_moving(ret->pid); i++)
		nh_sleep_ms(1);
	return true;
}

static inline void scene_end(struct scene *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	close(s->out);
}

struct seen {
	struct nh_arena arena;
	struct nh_space space;
	struct nh_taken t[SCENE_THREADS];
	int64_t tids[SCENE_THREADS];
	size_t n;
	int dir, err;
};

static inline int scene_add_tid(void *ctx, int dirfd, int64_t number)
{
	struct seen *s = ctx;

	s->tids[s->n++] = number;
	return s->n == SCENE_THREADS;
}

static inline void seen_take(pid_t pid, bool no_stop, bool consistent, struct seen *ret)
{
	struct nh_take_options o = {
		.no_stop = no_stop, .consistent = consistent, .until_ms = nh_now_ms() + 5000
	};
	struct nh_walk *walks[SCENE_THREADS];
	struct nh_symbols symbols;
	struct nh_mem mem = { .pid = pid };
	char path[64];

	memset(ret, 0, sizeof(*ret));
	symbols = (struct nh_symbols){ .arena = &ret->arena };
	snprintf(path, sizeof(path), "/proc/%d", pid);
	mem.dir = ret->dir = nh_dir_open(AT_FDCWD, path);
	ret->err = nh_space_open(&mem, &ret->space);
	nh_each_number(mem.dir, "task", scene_add_tid, ret);
	if (!ret->err)
		ret->err = nh_take_stacks(&ret->space, ret->tids, ret->n, &o, &ret->arena, ret->t);
	for (size_t i = 0; i < ret->n; i++)
		walks[i] = &ret->t[i].walk;
	if (!ret->err)
		nh_symbols_resolve(&symbols, &ret->space, walks, ret->n);
}

/* "pause stand gamma_end …": every function, inlined ones too, innermost first; '~' marks a name
 * that is only near. */
static inline const char *seen_names(struct seen *s, size_t thread)
{
	const char *text = "";
	const struct nh_walk *w = &s->t[thread].walk;

	for (size_t i = 0; i < w->n; i++) {
		if (!w->v[i].symbol)
			text = nh_arena_printf(&s->arena, "%s ?", text);
		for (const struct nh_symbol *sym = w->v[i].symbol; sym; sym = sym->outer)
			text = nh_arena_printf(
				&s->arena, "%s %s%s", text, sym->nearest ? "~" : "", sym->name);
	}
	return text;
}

static inline void seen_free(struct seen *s)
{
	nh_space_close(&s->space);
	nh_arena_free(&s->arena);
	close(s->dir);
}

#endif
