/* The layouts: those in the table, and those a runtime publishes. */
#include "tap.h"
#include "know/cpython.h"

#include <errno.h>

static void put(unsigned char *runtime, size_t at, uint64_t v)
{
	memcpy(runtime + at, &v, sizeof(v));
}

/* A runtime of that version, every offset of it 8. */
static void publish(unsigned char runtime[NH_PY_DEBUG_BYTES], uint64_t hex)
{
	for (size_t i = 0; i < NH_PY_DEBUG_BYTES; i += 8)
		put(runtime, i, 8);
	memcpy(runtime, NH_PY_COOKIE, 8);
	put(runtime, 8, hex);
	put(runtime, 16, 0);
}

int main(void)
{
	unsigned char runtime[NH_PY_DEBUG_BYTES];
	struct nh_py_layout l;
	uint32_t version = 0;

	ok(nh_py_layout(7, &l) == -ENOTSUP);
	ok(nh_py_layout(13, &l) == -ENOTSUP);
	ok(nh_py_layout(0, &l) == -ENOTSUP);
	ok(!nh_py_layout(8, &l) && l.minor == 8 && l.at[NH_PY_RUNTIME_GIL] == 1152);
	ok(l.str_wide == 72 && l.at[NH_PY_THREAD_NATIVE] == NH_PY_NONE);
	ok(!nh_py_layout(12, &l) && l.at[NH_PY_INTERP_GIL] == 384 && l.str_wide == 56);

	publish(runtime, 0x030d05f0);
	ok(!nh_py_published(runtime, &l, &version) && version == 0x030d05f0);
	ok(l.minor == 13 && l.at[NH_PY_FRAME_OWNER] == 8 && l.at[NH_PY_STR_DATA] == 8);
	ok(l.str_wide == 24 && l.at[NH_PY_CFRAME_FRAME] == NH_PY_NONE);
	put(runtime, 72, 7344); /* interpreter_state.threads_head */
	ok(!nh_py_published(runtime, &l, &version) && l.at[NH_PY_INTERP_THREADS] == 7344);

	/* What cannot be is not believed. */
	put(runtime, 184, 5000); /* thread_state.current_frame */
	ok(nh_py_published(runtime, &l, &version) == -ENOTSUP);
	put(runtime, 184, UINT64_MAX);
	ok(nh_py_published(runtime, &l, &version) == -ENOTSUP);
	put(runtime, 184, UINT32_MAX);
	ok(nh_py_published(runtime, &l, &version) == -ENOTSUP);

	publish(runtime, 0x030e08f0);
	put(runtime, 16, 1);
	ok(nh_py_published(runtime, &l, &version) == -ENOSYS && version == 0x030e08f0);
	publish(runtime, 0x031000a1);
	ok(nh_py_published(runtime, &l, &version) == -ENOTSUP && version == 0x031000a1);
	publish(runtime, 0x040d00f0);
	ok(nh_py_published(runtime, &l, &version) == -ENOTSUP);
	publish(runtime, 0x030c00f0);
	ok(nh_py_published(runtime, &l, &version) == -ENOTSUP);
	runtime[0] = 'y';
	ok(nh_py_published(runtime, &l, &version) == -ENOENT);
	return done();
}
