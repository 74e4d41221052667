#include <errno.h>
#include <string.h>
#include "base/set.h"
#include "model/field.h"
#include "python/object.h"

#define INTERPS_MAX 256
#define THREADS_MAX 16384
#define TRIES 4

static bool read_gil(const struct nh_python *py, struct nh_py_interp *in)
{
	const uint32_t *at = py->layout.at;
	unsigned char gil[NH_PY_GIL_COND];
	int32_t locked;

	if (at[NH_PY_INTERP_GIL] == NH_PY_NONE)
		in->gil = py->runtime + at[NH_PY_RUNTIME_GIL];
	else if (!nh_py_word(py, in->addr + at[NH_PY_INTERP_GIL], &in->gil))
		return false;
	if (!nh_py_read(py, in->gil, gil, sizeof(gil)))
		return false;
	memcpy(&locked, gil + NH_PY_GIL_LOCKED, sizeof(locked));
	memcpy(&in->holder, gil + NH_PY_GIL_HOLDER, sizeof(in->holder));
	memcpy(&in->switches, gil + NH_PY_GIL_SWITCHES, sizeof(in->switches));
	in->locked = locked == 1;
	return locked >= -1 && locked <= 1;
}

/* A thread state that another interpreter owns is none: the list was left, or changed under us. */
static bool read_thread(
	const struct nh_python *py, uint64_t interp, struct nh_py_thread *t, uint64_t *next)
{
	const uint32_t *at = py->layout.at;
	unsigned char state[NH_PY_ROOM_MAX];
	int32_t native;

	t->native = NH_UNKNOWN;
	t->task = NH_PY_NO_TASK;
	if (!nh_py_read(py, t->addr, state,
		    nh_py_room(&py->layout, NH_PY_THREAD_NEXT, NH_PY_THREAD_FRAME)) ||
		memcmp(state + at[NH_PY_THREAD_INTERP], &interp, sizeof(interp)) != 0)
		return false;
	memcpy(next, state + at[NH_PY_THREAD_NEXT], sizeof(*next));
	memcpy(&t->pthread, state + at[NH_PY_THREAD_PTHREAD], sizeof(t->pthread));
	memcpy(&t->frame, state + at[NH_PY_THREAD_FRAME], sizeof(t->frame));
	if (at[NH_PY_THREAD_NATIVE] != NH_PY_NONE) {
		memcpy(&native, state + at[NH_PY_THREAD_NATIVE], sizeof(native));
		t->native = native;
	}
	return true;
}

static int read_threads(
	const struct nh_python *py, size_t interp, uint64_t addr, struct nh_py_state *st)
{
	struct nh_set seen = { 0 };

	while (addr) {
		struct nh_py_thread t = { .addr = addr, .interp = interp };

		if (st->threads.n >= THREADS_MAX || !nh_set_add(py->arena, &seen, addr) ||
			!read_thread(py, st->interps.v[interp].addr, &t, &addr))
			return -EAGAIN;
		*nh_push(py->arena, &st->threads) = t;
	}
	return 0;
}

/* What was read before something did not fit stays. */
static int read_once(const struct nh_python *py, struct nh_py_state *st)
{
	const uint32_t *at = py->layout.at;
	uint64_t addr, threads, finalizing = 0;
	struct nh_set seen = { 0 };

	if (!nh_py_word(py, py->runtime + at[NH_PY_RUNTIME_INTERPRETERS], &addr))
		return -EFAULT;
	nh_py_word(py, py->runtime + at[NH_PY_RUNTIME_FINALIZING], &finalizing);
	st->finalizing = finalizing != 0;
	while (addr) {
		struct nh_py_interp in = { .addr = addr };
		uint64_t id;
		int rc;

		if (st->interps.n >= INTERPS_MAX || !nh_set_add(py->arena, &seen, addr) ||
			!nh_py_word(py, addr + at[NH_PY_INTERP_ID], &id) ||
			!nh_py_word(py, addr + at[NH_PY_INTERP_THREADS], &threads) ||
			!nh_py_word(py, addr + at[NH_PY_INTERP_NEXT], &addr))
			return -EAGAIN;
		in.id = (int64_t)id;
		if (!read_gil(py, &in))
			in.gil = 0;
		*nh_push(py->arena, &st->interps) = in;
		rc = read_threads(py, st->interps.n - 1, threads, st);
		if (rc)
			return rc;
	}
	return 0;
}

/* Frames come and go, and the GIL changes hands; the lists are what has to agree. */
static bool same(const struct nh_py_state *a, const struct nh_py_state *b)
{
	if (a->interps.n != b->interps.n || a->threads.n != b->threads.n)
		return false;
	for (size_t i = 0; i < a->threads.n; i++)
		if (a->threads.v[i].addr != b->threads.v[i].addr ||
			a->threads.v[i].pthread != b->threads.v[i].pthread)
			return false;
	return true;
}

int nh_py_state_read(const struct nh_python *py, struct nh_py_state *ret)
{
	struct nh_py_state before = { 0 };
	int was = read_once(py, &before), rc = was;

	for (int i = 0; i < TRIES && rc != -EFAULT; i++) {
		*ret = (struct nh_py_state){ 0 };
		rc = read_once(py, ret);
		if (!rc && !was && same(&before, ret))
			return 0;
		before = *ret;
		was = rc;
	}
	ret->torn = true;
	return rc == -EFAULT ? rc : 0;
}
