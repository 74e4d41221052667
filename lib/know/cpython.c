#include "know/cpython.h"

#include <errno.h>
#include <string.h>

#define NO NH_PY_NONE
/* The interpreter state is a large struct; every other one here is small. */
#define INTERP_MAX (1U << 20)
#define OBJECT_MAX 1024U

enum { PUBLISHES = 13 };

/* To 3.12: offsets.  From 3.13 on: where they are published. */
/* clang-format off */
static const uint32_t fields[NH_PY_FIELDS][NH_PY_NEWEST - NH_PY_OLDEST + 1] = {
	/*                               3.8  3.9 3.10 3.11 3.12 3.13 3.14 3.15 */
	[NH_PY_RUNTIME_INTERPRETERS] = { 32, 32, 32, 40, 40, 40, 40, 40 },
	[NH_PY_RUNTIME_FINALIZING] = { 16, 16, 16, 24, 24, 32, 32, 32 },
	[NH_PY_RUNTIME_GIL] = { 1152, 352, 352, 360, NO, NO, NO, NO },
	[NH_PY_INTERP_GIL] = { NO, NO, NO, NO, 384, 112, 120, 120 },
	[NH_PY_INTERP_NEXT] = { 0, 0, 0, 0, 0, 64, 64, 64 },
	[NH_PY_INTERP_ID] = { 16, 24, 24, 48, 8, 56, 56, 56 },
	[NH_PY_INTERP_THREADS] = { 8, 8, 8, 16, 72, 72, 72, 72 },
	[NH_PY_THREAD_NEXT] = { 8, 8, 8, 8, 8, 168, 192, 192 },
	[NH_PY_THREAD_INTERP] = { 16, 16, 16, 16, 16, 176, 200, 200 },
	[NH_PY_THREAD_PTHREAD] = { 176, 176, 176, 152, 136, 192, 216, 240 },
	[NH_PY_THREAD_NATIVE] = { NO, NO, NO, 160, 144, 200, 224, 248 },
	[NH_PY_THREAD_FRAME] = { 24, 24, 24, 56, 56, 184, 208, 208 },
	[NH_PY_CFRAME_FRAME] = { NO, NO, NO, 8, 0, NO, NO, NO },
	[NH_PY_CFRAME_PREVIOUS] = { NO, NO, NO, 16, 8, NO, NO, NO },
	[NH_PY_FRAME_PREVIOUS] = { 24, 24, 24, 48, 8, 232, 256, 320 },
	[NH_PY_FRAME_CODE] = { 32, 32, 32, 32, 0, 240, 264, 328 },
	[NH_PY_FRAME_AT] = { 104, 104, 96, 56, 56, 248, 272, 336 },
	[NH_PY_FRAME_ENTRY] = { NO, NO, NO, 68, NO, NO, NO, NO },
	[NH_PY_FRAME_OWNER] = { NO, NO, NO, NO, 70, 264, 288, 352 },
	[NH_PY_CODE_FILE] = { 104, 104, 104, 112, 112, 280, 320, 384 },
	[NH_PY_CODE_NAME] = { 112, 112, 112, 128, 128, 296, 336, 400 },
	[NH_PY_CODE_LINE] = { 40, 40, 40, 72, 68, 312, 352, 416 },
	[NH_PY_CODE_LINES] = { 120, 120, 120, 136, 136, 304, 344, 408 },
	[NH_PY_CODE_BYTES] = { NO, NO, NO, 184, 192, 344, 384, 448 },
	[NH_PY_OBJECT_TYPE] = { 8, 8, 8, 8, 8, 360, 408, 472 },
	[NH_PY_TYPE_NAME] = { 24, 24, 24, 24, 24, 376, 424, 488 },
	[NH_PY_STR_LENGTH] = { 16, 16, 16, 16, 16, 552, 632, 728 },
	[NH_PY_STR_STATE] = { 32, 32, 32, 32, 32, 544, 624, 720 },
	[NH_PY_STR_DATA] = { 48, 48, 48, 48, 40, 560, 640, 736 },
	[NH_PY_BYTES_SIZE] = { 16, 16, 16, 16, 16, 520, 600, 696 },
	[NH_PY_BYTES_DATA] = { 32, 32, 32, 32, 32, 528, 608, 704 },
};
/* clang-format on */

static void take_column(int minor, struct nh_py_layout *ret)
{
	ret->minor = minor;
	for (int i = 0; i < NH_PY_FIELDS; i++)
		ret->at[i] = fields[i][minor - NH_PY_OLDEST];
}

/* Strings that are not ASCII also cache their UTF-8 form; until 3.11 their wchar_t form too. */
static void set_wide(struct nh_py_layout *l)
{
	l->str_wide = l->at[NH_PY_STR_DATA] + (l->minor < 12 ? 24 : 16);
}

int nh_py_layout(int minor, struct nh_py_layout *ret)
{
	if (minor < NH_PY_OLDEST || minor >= PUBLISHES)
		return -ENOTSUP;
	take_column(minor, ret);
	set_wide(ret);
	return 0;
}

uint32_t nh_py_room(const struct nh_py_layout *l, int first, int last)
{
	uint32_t end = 0;

	for (int i = first; i <= last; i++)
		if (l->at[i] != NO && l->at[i] + 8 > end)
			end = l->at[i] + 8;
	return end;
}

static uint64_t word(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

int nh_py_published(const unsigned char *runtime, struct nh_py_layout *ret, uint32_t *version)
{
	uint64_t hex = word(runtime + 8);
	int minor = (int)(hex >> 16 & 0xff);

	if (memcmp(runtime, NH_PY_COOKIE, 8) != 0)
		return -ENOENT;
	*version = (uint32_t)hex;
	if (hex >> 24 != 3 || minor < PUBLISHES || minor > NH_PY_NEWEST)
		return -ENOTSUP;
	if (word(runtime + 16))
		return -ENOSYS;
	take_column(minor, ret);
	for (int i = 0; i < NH_PY_FIELDS; i++) {
		uint64_t max = i < NH_PY_THREAD_NEXT ? INTERP_MAX : OBJECT_MAX;
		uint64_t at;

		if (ret->at[i] == NO)
			continue;
		at = word(runtime + ret->at[i]);
		if (at > max)
			return -ENOTSUP;
		ret->at[i] = (uint32_t)at;
	}
	set_wide(ret);
	return 0;
}
