/*
 * Thread states, frames and objects of CPython 3.12 laid out by hand in this process, which is read
 * like any other: what a reader must find, and what must not lead it astray.
 */
#include "tap.h"
#include "proc/read.h"
#include "python/gil.h"
#include "python/object.h"
#include "stack/take.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FRAMES = 8 };

/* Words of each object, at the offsets of 3.12. */
static struct {
	uint64_t runtime[8], interp[64], thread[2][32], cframe[2], gil[26];
	uint64_t frame[FRAMES][10], type[8], code[32], name[16], file[16];
	unsigned char lines[64];
	char type_name[8];
} py;

static struct nh_arena arena;
static struct nh_space space;
static struct nh_python python = { .space = &space, .arena = &arena };

static uint64_t at(const void *p)
{
	return (uintptr_t)p;
}

static void put32(void *p, size_t offset, uint32_t v)
{
	memcpy((char *)p + offset, &v, sizeof(v));
}

static void put_str(uint64_t *s, const void *chars, size_t n, unsigned kind, bool ascii)
{
	s[2] = n;
	put32(s, 32, kind << 2 | 1U << 5 | (unsigned)ascii << 6);
	memcpy((char *)s + (ascii ? 40 : 56), chars, n * kind);
}

static void build(void)
{
	static const uint16_t japanese[] = { 0x95a2, 0x6570, 0xd800, '!' };
	static const unsigned char table[] = { 0x80 | 11 << 3 | 1, 0, 0 }; /* two units, line + 1 */

	memset(&py, 0, sizeof(py));
	strcpy(py.type_name, "code");
	py.type[3] = at(py.type_name);
	py.code[1] = at(py.type);
	put32(py.code, 68, 40);
	py.code[14] = at(py.file);
	py.code[16] = at(py.name);
	py.code[17] = at(py.lines);
	put_str(py.name, japanese, 4, 2, false);
	put_str(py.file, "/tmp/a.py", 9, 1, true);
	memset(py.lines, 0, sizeof(py.lines));
	py.lines[16] = sizeof(table);
	memcpy(py.lines + 32, table, sizeof(table));
	for (int i = 0; i < FRAMES; i++) {
		py.frame[i][0] = at(py.code);
		py.frame[i][1] = i + 1 < FRAMES ? at(py.frame[i + 1]) : 0;
		py.frame[i][7] = at(py.code) + 192 + 2; /* the second unit */
	}
	((unsigned char *)py.frame[FRAMES - 1])[70] = NH_PY_OWNED_BY_C;
	py.cframe[0] = at(py.frame[0]);
	for (int i = 0; i < 2; i++) {
		py.thread[i][2] = at(py.interp);
		py.thread[i][7] = at(py.cframe);
		py.thread[i][17] = 0x7000 + (uint64_t)i; /* pthread */
		py.thread[i][18] = 100 + (uint64_t)i;	 /* native_thread_id */
	}
	py.thread[0][1] = at(py.thread[1]);
	py.interp[9] = at(py.thread[0]);
	py.interp[48] = at(py.gil);
	py.gil[1] = at(py.thread[1]);
	py.gil[2] = 1;
	py.gil[3] = 77;
	py.runtime[5] = at(py.interp);
	python.runtime = at(py.runtime);
	python.code_type = 0;
	python.codes = NULL;
}

/* The frames of the first thread, by the way that stacks are taken. */
static struct nh_py_stack read_frames(const struct nh_py_state *st)
{
	struct nh_window w = { .bytes = 4096 };
	struct nh_stack_copy copy = { .sp = at(&w) };
	unsigned char *buf = malloc(NH_COPY_ROOM(w.bytes));
	struct nh_py_stack stack;

	nh_py_chains(&python, st, 0, w.chain);
	ok(!nh_copy_parts(getpid(), &w, buf, &copy));
	nh_py_frames(&python, st, 0, copy.nodes, &stack);
	free(buf);
	return stack;
}

static struct nh_py_state read_state(void)
{
	static const struct nh_py_task tasks[] = { { .tid = 5, .nstid = 100 },
		{ .tid = 6, .nstid = 101 } };
	struct nh_py_state st;

	nh_py_state_read(&python, &st);
	nh_py_match_tasks(&python, &st, tasks, 2);
	return st;
}

static void healthy(void)
{
	struct nh_py_state st = read_state();
	struct nh_py_stack s = read_frames(&st);

	ok(!st.torn && st.interps.n == 1 && st.threads.n == 2 && !st.finalizing);
	ok(st.threads.v[0].task == 0 && st.threads.v[1].task == 1);
	ok(nh_py_gil_holder(&st, &st.interps.v[0]) == 1 && st.interps.v[0].switches == 77);
	ok(nh_py_gil_wanted(&st.interps.v[0], at(py.gil) + 40));
	ok(!nh_py_gil_wanted(&st.interps.v[0], at(py.gil) + 31));
	ok(!nh_py_gil_wanted(&st.interps.v[0], 0));
	ok(s.frames.n == FRAMES - 1 && !s.why);
	ok(s.segments.n == 1 && s.segments.v[0].end == FRAMES - 1);
	ok(s.segments.v[0].anchor == at(py.frame[FRAMES - 1]));
	is(s.frames.v[0].func, "\xe9\x96\xa2\xe6\x95\xb0\xef\xbf\xbd!");
	is(s.frames.v[0].file, "/tmp/a.py");
	ok(s.frames.v[0].line == 41);
}

static void led_astray(void)
{
	struct nh_py_state st;
	struct nh_py_stack s;

	/* A list of frames that goes round. */
	build();
	st = read_state();
	py.frame[5][1] = at(py.frame[2]);
	s = read_frames(&st);
	ok(s.frames.n == 6 && s.why);
	/* A frame that is none. */
	build();
	py.frame[3][0] = at(py.gil);
	s = read_frames(&st);
	ok(s.frames.n == 3 && s.why);
	/* A list that leads nowhere. */
	build();
	py.frame[4][1] = 16;
	s = read_frames(&st);
	ok(s.frames.n == 5 && s.why);
	/* The thread state went to another thread before the frames were read. */
	build();
	py.thread[0][17]++;
	s = read_frames(&st);
	ok(s.frames.n == 0 && s.why);
	/* A name that is no string, a table without end, a length that cannot be. */
	build();
	put32(py.name, 32, 0);
	s = read_frames(&st);
	ok(s.frames.n == 0 && s.why);
	build();
	memset(py.lines + 16, 0xff, 8);
	s = read_frames(&st);
	ok(s.frames.n == FRAMES - 1 && s.frames.v[0].line == 40);
	build();
	py.file[2] = UINT64_MAX / 2;
	s = read_frames(&st);
	ok(s.frames.n <= FRAMES);
}

static void lists_astray(void)
{
	struct nh_py_state st;

	/* A list of threads that goes round, or into another interpreter; interpreters likewise. */
	build();
	py.thread[1][1] = at(py.thread[0]);
	st = read_state();
	ok(st.torn && st.threads.n == 2);
	build();
	py.thread[1][2]++;
	st = read_state();
	ok(st.torn && st.threads.n == 1);
	build();
	py.interp[0] = at(py.interp);
	st = read_state();
	ok(st.torn && st.interps.n == 1);
	build();
	put32(py.gil, 16, 99);
	st = read_state();
	ok(!st.torn && !st.interps.v[0].gil);
	ok(nh_py_gil_holder(&st, &st.interps.v[0]) == NH_PY_NO_TASK);
	build();
	py.runtime[5] = 0;
	st = read_state();
	ok(!st.torn && st.interps.n == 0 && st.threads.n == 0);
	python.runtime = 8;
	ok(nh_py_state_read(&python, &st) == -EFAULT);
}

/* This program exports no _PyRuntime, but has what 3.13 and later mark theirs with. */
static void marked(void)
{
	static unsigned char runtime[NH_PY_DEBUG_BYTES] __attribute__((aligned(8))) = "x";
	const uint64_t unknown = 0x036300f0; /* 3.99.0 */
	struct nh_python found;

	memcpy(runtime, NH_PY_COOKIE, 8);
	memcpy(runtime + 8, &unknown, sizeof(unknown));
	ok(nh_py_find(&space, &arena, &found) == -ENOTSUP);
	ok(found.why && strstr(found.why, "3.99.0") && strstr(found.why, "not known"));
	memset(runtime, 1, sizeof(runtime));
	ok(nh_py_find(&space, &arena, &found) == -ENOENT);
}

int main(void)
{
	struct nh_mem mem = { .pid = getpid(), .dir = nh_dir_open(-1, "/proc/self") };

	ok(!nh_space_open(&mem, &space));
	ok(!nh_py_layout(12, &python.layout));
	build();
	healthy();
	led_astray();
	lists_astray();
	marked();
	nh_space_close(&space);
	nh_arena_free(&arena);
	return done();
}
