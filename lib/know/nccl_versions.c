#include "know/nccl_versions.h"

#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "model/field.h"

/* Tables, one row a line. */
/* clang-format off */
enum {
	T_2_10 = NH_T_PROGRESS,
	T_2_12 = NH_T_PROGRESS | NH_T_SERVICE | NH_T_GRAPH_HELPER,
	T_2_14 = NH_T_PROGRESS | NH_T_SERVICE,
	T_2_20 = T_2_14 | NH_T_UDS,
	T_2_24 = T_2_20 | NH_T_RAS,
	T_2_28 = T_2_24 | NH_T_GIN,
	T_2_29 = T_2_28 | NH_T_RMA,
};

#define ORDER_2_10 "stream sync, join of the progress thread, frees"
#define ORDER_2_12                                                                                 \
	"stream sync, join of the graph helper, message to the service thread, frees, join of the service thread"
#define ORDER_2_14                                                                                 \
	"pending jobs, stream syncs, CUDA graphs that captured the communicator, join of the service thread, frees"
#define ORDER_2_20 ORDER_2_14 "; the UDS thread is joined after the service thread"
#define ORDER_2_24 ORDER_2_20 "; RAS is left before the service thread is joined"
#define ORDER_2_29 ORDER_2_24 "; GIN and RMA threads are joined too"

/* Ascending.  proxy.cc, init.cc, group.cc, socket.cc at the tags named. */
static const struct nh_nccl_era eras[] = {
	{ 21000, NH_EXIT_NO_SERVICE, 0, 0, NH_CLOSE_ONLY, false, NH_JOIN_CALLER, T_2_10, ORDER_2_10,
		"v2.10.3-1" },
	{ 21200, NH_EXIT_MESSAGE, 65, -1, NH_CLOSE_ONLY, false, NH_JOIN_CALLER, T_2_12, ORDER_2_12,
		"v2.12.12-1" },
	{ 21400, NH_EXIT_FLAG, 65, 500, NH_CLOSE_ONLY, false, NH_JOIN_CALLER, T_2_14, ORDER_2_14,
		"v2.14.3-1" },
	{ 21602, NH_EXIT_PEERS, 65, 500, NH_CLOSE_ONLY, false, NH_JOIN_CALLER, T_2_14, ORDER_2_14,
		"v2.16.5-1, v2.17.1-1" },
	{ 21801, NH_EXIT_PEERS, 65, 500, NH_CLOSE_SHUTDOWN, false, NH_JOIN_CALLER, T_2_14,
		ORDER_2_14, "v2.18.1-1, v2.18.6-1" },
	{ 21901, NH_EXIT_PEERS, 65, 500, NH_CLOSE_SHUTDOWN, false, NH_JOIN_DETACH, T_2_14,
		ORDER_2_14, "v2.19.3-1" },
	{ 21904, NH_EXIT_PEERS, 65, 500, NH_CLOSE_SHUTDOWN, false, NH_JOIN_CALLER, T_2_14,
		ORDER_2_14, "v2.19.4-1 (its message)" },
	{ 22005, NH_EXIT_PEERS, 65, 500, NH_CLOSE_SHUTDOWN, false, NH_JOIN_CALLER, T_2_20,
		ORDER_2_20, "v2.20.5-1, v2.21.5-1" },
	{ 22203, NH_EXIT_PEERS, 65, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_GROUP, T_2_20, ORDER_2_20,
		"v2.22.3-1" },
	{ 22304, NH_EXIT_PEERS_FORCED, 65, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_GROUP, T_2_20,
		ORDER_2_20, "v2.23.4-1" },
	{ 22403, NH_EXIT_PEERS_FORCED, 65, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB, T_2_24,
		ORDER_2_24, "v2.24.3-1" },
	{ 22501, NH_EXIT_PEERS_FORCED, 74, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB, T_2_24,
		ORDER_2_24, "v2.25.1-1, v2.26.2-1" },
	{ 22703, NH_EXIT_PEERS_FORCED, 74, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_CALLER, T_2_24,
		ORDER_2_24, "v2.27.3-1, v2.27.5-1" },
	{ 22706, NH_EXIT_PEERS_FORCED, 74, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB, T_2_24,
		ORDER_2_24, "v2.27.6-1, v2.27.7-1" },
	{ 22803, NH_EXIT_PEERS_FORCED, 74, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB_IF_MANY,
		T_2_24, ORDER_2_24, "v2.28.3-1" },
	{ 22807, NH_EXIT_PEERS_FORCED, 74, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB_IF_MANY,
		T_2_28, ORDER_2_24, "v2.28.7-1, v2.28.9-1" },
	{ 22902, NH_EXIT_PEERS_FORCED, 74, 500, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB_IF_MANY,
		T_2_29, ORDER_2_29, "v2.29.2-1, v2.30.3-1" },
};

#define HELD_SOCKET                                                                                \
	"on abort, the service thread waits until every peer connection ends, and they are only closed, not shut down: a duplicate of the descriptor in a forked child keeps one open"

static const struct nh_nccl_note notes[] = {
	{ NH_NOTE_REGRESSION, 21602, 21701, true, HELD_SOCKET, "NCCL #863; PyTorch #119215",
		"proxy.cc at v2.16.5-1, v2.17.1-1; measured" },
	{ NH_NOTE_REGRESSION, 21901, 21903, true,
		"abort spins for 5 s in clock_gettime, then detaches the service thread instead of joining it",
		"NCCL #992", "proxy.cc at v2.19.3-1; reverted in v2.19.4-1" },
	{ NH_NOTE_REGRESSION, 22304, 22501, true,
		"the progress thread does not look at the abort flag: it can spin forever, and the service thread that joins it with it",
		"PyTorch #149153; Fuser #3055", "proxy.cc at v2.23.4-1, v2.24.3-1, v2.25.1-1" },
	{ NH_NOTE_REGRESSION, NH_NCCL_RAS_SINCE, NH_NCCL_RAS_SAFE - 1, false,
		"a RAS query while a communicator initialises can crash the job", "NCCL #1669",
		"fixed in v2.27.3-1" },
	{ NH_NOTE_REGRESSION, 21602, 23006, true,
		"a foreign connection that sends no or a wrong magic value keeps the service thread in accept",
		"NCCL #1808, #1871",
		"socket.cc at v2.16.5-1 to v2.30.3-1; discarded from v2.30.7-1" },
	{ NH_NOTE_FIX, 21505, 21505, false,
		"hangs with interleaved graph captures and in multithreaded init", NULL,
		"message of tag v2.15.5-1" },
	{ NH_NOTE_FIX, 21801, 21801, false, "hang in alltoallv", "NCCL #788",
		"message of tag v2.18.1-1" },
	{ NH_NOTE_FIX, 21901, 21901, false, "missing unlocks in bootstrap", "NCCL #936",
		"message of tag v2.19.1-1" },
	{ NH_NOTE_FIX, 22003, 22003, false, "hang while alltoall connects", NULL,
		"message of tag v2.20.3-1" },
	{ NH_NOTE_FIX, 22005, 22005, false, "failure of the UDS service after a split",
		"NCCL #1185", "message of tag v2.20.5-1" },
	{ NH_NOTE_FIX, 22105, 22105, false, "hang where crossNic differs between ranks", NULL,
		"message of tag v2.21.5-1" },
	{ NH_NOTE_FIX, 22203, 22203, true, "hangs of abort and destroy inside a group",
		"PyTorch #119797", "message of tag v2.22.3-1" },
	{ NH_NOTE_FIX, 22602, 22602, true, "hang of abort behind a progress thread that spins",
		"PyTorch #149153", "message of tag v2.26.2-1" },
	{ NH_NOTE_FIX, 22703, 22703, false,
		"hang of alltoall over 80 ranks (MNNVL), and accept after a bad magic value",
		"NCCL #1613", "message of tag v2.27.3-1" },
	{ NH_NOTE_FIX, 22809, 22809, false,
		"hang from the order of main and proxy thread at large scale", NULL,
		"message of tag v2.28.9-1" },
	{ NH_NOTE_FIX, 22903, 22903, false,
		"hang on ARM from a wrong compare-and-swap (gcc before 10)", NULL,
		"message of tag v2.29.3-1" },
};
/* clang-format on */

#define N(table) (sizeof(table) / sizeof(*(table)))

const struct nh_nccl_era *nh_nccl_era(int64_t version)
{
	const struct nh_nccl_era *found = NULL;

	for (size_t i = 0; i < N(eras) && eras[i].from <= version; i++)
		found = &eras[i];
	return found;
}

const struct nh_nccl_note *nh_nccl_next_note(int64_t version, const struct nh_nccl_note *after)
{
	for (size_t i = after ? (size_t)(after - notes) + 1 : 0; i < N(notes); i++) {
		const struct nh_nccl_note *n = &notes[i];

		if (version == NH_UNKNOWN)
			break;
		if (n->kind == NH_NOTE_FIX ? version < n->from
					   : version >= n->from && version <= n->to)
			return n;
	}
	return NULL;
}

const char *nh_nccl_exit_words(enum nh_nccl_exit e)
{
	static const char *const words[] = {
		[NH_EXIT_NO_SERVICE] = "there is no service thread in it",
		[NH_EXIT_MESSAGE] = "its service thread leaves on an Abort message, whatever peers "
				    "are connected",
		[NH_EXIT_FLAG] = "its service thread leaves as soon as it sees the abort flag",
		[NH_EXIT_PEERS] = "its service thread leaves only when the last peer connection "
				  "has ended",
		[NH_EXIT_PEERS_FORCED] = "its service thread leaves only when the last peer "
					 "connection has ended, unless cuMem host allocations let "
					 "it close them itself",
	};

	return words[e];
}

const char *nh_nccl_join_words(enum nh_nccl_join j)
{
	static const char *const words[] = {
		[NH_JOIN_CALLER] = "the thread that calls abort or destroy joins it",
		[NH_JOIN_GROUP] = "the thread that calls abort, destroy or ncclGroupEnd joins it",
		[NH_JOIN_JOB] = "a job thread (ncclAsyncJobMain) joins it, while the caller of "
				"abort or destroy sleeps in usleep(1)",
		[NH_JOIN_JOB_IF_MANY] = "the caller of abort or destroy joins it, or, for several "
					"communicators in one group, a job thread each",
		[NH_JOIN_DETACH] = "destroy joins it; abort spins for 5 s and detaches it",
	};

	return words[j];
}

static int64_t number(const char **s, const char *end)
{
	int64_t v = 0;
	const char *p = *s;

	for (; p < end && *p >= '0' && *p <= '9' && v < 1000; p++)
		v = v * 10 + (*p - '0');
	if (p == *s)
		return -1;
	*s = p;
	return v;
}

/* "X.Y.Z" at the start of [s, end); *rest is behind it. */
static int64_t parse(const char *s, const char *end, const char **rest)
{
	int64_t v[3];

	for (int i = 0; i < 3; i++) {
		if (i && (s >= end || *s++ != '.'))
			return NH_UNKNOWN;
		v[i] = number(&s, end);
		if (v[i] < 0 || v[i] > 99)
			return NH_UNKNOWN;
	}
	*rest = s;
	return v[0] * 10000 + v[1] * 100 + v[2];
}

int64_t nh_nccl_version_parse(const char *s)
{
	const char *rest;

	return s ? parse(s, s + strlen(s), &rest) : NH_UNKNOWN;
}

const char *nh_nccl_version_text(int64_t version, char buf[NH_NCCL_VERSION_TEXT])
{
	snprintf(buf, NH_NCCL_VERSION_TEXT, "%d.%d.%d", (int)(version / 10000 % 100),
		(int)(version / 100 % 100), (int)(version % 100));
	return buf;
}

int64_t nh_nccl_version_of_path(const char *path)
{
	static const char stem[] = "libnccl.so.";
	const char *base = path ? strrchr(path, '/') : NULL;

	base = base ? base + 1 : path;
	return nh_starts_with(base, stem) ? nh_nccl_version_parse(base + sizeof(stem) - 1)
					  : NH_UNKNOWN;
}

int64_t nh_nccl_version_of_code(const unsigned char *code, size_t n)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const unsigned char test_je[] = { 0x48, 0x85, 0xff, 0x74 };
	static const unsigned char movl[] = { 0xc7, 0x07 }, ret0[] = { 0x31, 0xc0, 0xc3 };
	const unsigned char *p = code;
	uint32_t v;

	if (n >= 4 && !memcmp(p, endbr64, 4)) {
		p += 4;
		n -= 4;
	}
	/* One byte is the jump's distance. */
	if (n < 14 || memcmp(p, test_je, 4) != 0 || memcmp(p + 5, movl, 2) != 0 ||
		memcmp(p + 11, ret0, 3) != 0)
		return NH_UNKNOWN;
	v = (uint32_t)p[7] | (uint32_t)p[8] << 8 | (uint32_t)p[9] << 16 | (uint32_t)p[10] << 24;
	/* Up to 2.8 it was X * 1000 + Y * 100 + Z. */
	if (v >= 2000 && v < 2900)
		return 20000 + v % 1000;
	return v >= 20900 && v < 100000 ? (int64_t)v : NH_UNKNOWN;
}

int64_t nh_nccl_version_of_strings(const char *buf, size_t n, char cuda[NH_NCCL_CUDA_TEXT])
{
	static const char prefix[] = "NCCL version ";
	enum { PREFIX = sizeof(prefix) - 1, SUFFIX_MAX = 64 };
	const char *end = buf + n;

	for (const char *p = buf; (p = memmem(p, (size_t)(end - p), prefix, PREFIX)); p++) {
		const char *rest, *plus, *stop;
		int64_t v = parse(p + PREFIX, end, &rest);

		if (v == NH_UNKNOWN)
			continue;
		stop = memchr(rest, 0,
			(size_t)(end - rest) < SUFFIX_MAX ? (size_t)(end - rest) : SUFFIX_MAX);
		plus = stop ? memmem(rest, (size_t)(stop - rest), "+cuda", 5) : NULL;
		if (!plus)
			continue;
		plus += 5;
		snprintf(cuda, NH_NCCL_CUDA_TEXT, "%.*s", (int)strspn(plus, "0123456789."), plus);
		return v;
	}
	return NH_UNKNOWN;
}
