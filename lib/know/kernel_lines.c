/* Tables, one row a line. */
/* clang-format off */
#include "know/kernel_lines.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/*
 * %p a PID, %n a number, %c a name, %g a control group, %d a device or server: each up to the text that
 * follows it; * anything.  The more telling first.  Sources: mm/oom_kill.c, kernel/hung_task.c,
 * net/sunrpc/clnt.c of Linux; NVIDIA's "Xid Errors" and nvidia/nv.c.
 */
static const struct {
	enum nh_kernel_kind kind;
	const char *shape;
} shapes[] = {
	{ NH_KERNEL_OOM,	"oom-kill:*task_memcg=%g,task=%c,pid=%p,*" },
	{ NH_KERNEL_OOM,	"Memory cgroup out of memory: Killed process %p (%c)*" },
	{ NH_KERNEL_OOM,	"Out of memory: Killed process %p (%c)*" },
	{ NH_KERNEL_OOM,	"Killed process %p (%c)*" },	/* before 5.1 */
	{ NH_KERNEL_HUNG,	"INFO: task %c:%p blocked for more than %n seconds*" },
	{ NH_KERNEL_XID,	"NVRM: Xid (PCI:%d): %n, pid=%p, name=%c,*" },
	{ NH_KERNEL_XID,	"NVRM: Xid (PCI:%d): %n, pid=%p,*" },
	{ NH_KERNEL_XID,	"NVRM: Xid (PCI:%d): %n,*" },
	{ NH_KERNEL_XID,	"NVRM: Xid (%d): %n,*" },
	{ NH_KERNEL_NO_ANSWER,	"nfs: server %d not responding*" },
	{ NH_KERNEL_ANSWERS,	"nfs: server %d OK*" },
};

/* Those after which work on the GPU does not come to its end (NVIDIA, "Xid Errors"). */
static const struct {
	int64_t xid;
	const char *words;
} xids[] = {
	{ 13, "an exception of a kernel on the GPU" },
	{ 31, "a memory page fault of the GPU" },
	{ 43, "the GPU stopped processing" },
	{ 45, "its channels were torn down, after another error or a kill" },
	{ 48, "a double-bit ECC error" },
	{ 61, "an internal breakpoint of the GPU's microcontroller" },
	{ 62, "an internal halt of the GPU's microcontroller" },
	{ 64, "a row of the GPU's memory could not be remapped" },
	{ 69, "an error of the graphics engine" },
	{ 74, "an NVLink error" },
	{ 79, "the GPU has fallen off the bus" },
	{ 94, "a contained memory error" },
	{ 95, "an uncontained memory error" },
	{ 109, "a timeout in switching contexts" },
	{ 119, "a timeout of the GPU's system processor (GSP)" },
	{ 120, "an error of the GPU's system processor (GSP)" },
	{ 140, "an ECC error that was not recovered" },
	{ 143, "the GPU could not be initialized" },
	{ 145, "an NVLink error (RLW)" },
	{ 149, "an NVLink error (NETIR)" },
	{ 154, "the GPU needs a reset or a reboot" },
};

/* clang-format on */

static bool take_number(const char *s, size_t n, int64_t *ret)
{
	int64_t v = 0;

	if (!n || n > 18)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (s[i] - '0');
	}
	*ret = v;
	return true;
}

static bool take(struct nh_kernel_line *l, char what, const char *s, size_t n)
{
	struct nh_kernel_word word = { s, n };

	switch (what) {
	case 'p':
		return take_number(s, n, &l->pid);
	case 'n':
		return take_number(s, n, &l->number);
	case 'c':
		l->comm = word;
		return true;
	case 'g':
		l->cgroup = word;
		return true;
	case 'd':
		l->device = word;
		return true;
	default:
		return true;
	}
}

/* What a placeholder stands for: 0 = none is here, and how long it is in the shape. */
static char placeholder(const char *shape, size_t *len)
{
	*len = *shape == '*' ? 1 : *shape == '%' ? 2 : 0;
	if (!*len)
		return 0;
	return shape[*len - 1];
}

/* Where the literal text begins: at once, or behind what a placeholder takes. */
static const char *find_literal(
	const char *s, const char *end, const char *literal, size_t n, bool anywhere)
{
	if ((size_t)(end - s) < n)
		return NULL;
	if (anywhere)
		return memmem(s, (size_t)(end - s), literal, n);
	return memcmp(s, literal, n) != 0 ? NULL : s;
}

/* Each part ends where the literal text after it first occurs: a line is gone through once. */
static bool matches(const char *shape, const char *s, size_t n, struct nh_kernel_line *l)
{
	const char *end = s + n;

	while (*shape) {
		size_t len, literal;
		char what = placeholder(shape, &len);
		const char *to;

		shape += len;
		literal = strcspn(shape, "%*");
		if (what && !literal)
			to = *shape ? NULL : end;
		else
			to = find_literal(s, end, shape, literal, what);
		if (!to || !take(l, what, s, (size_t)(to - s)))
			return false;
		s = to + literal;
		shape += literal;
	}
	return s == end;
}

bool nh_kernel_line_of(const char *s, size_t n, struct nh_kernel_line *ret)
{
	for (size_t i = 0; i < COUNT(shapes); i++) {
		*ret = (struct nh_kernel_line){
			.kind = shapes[i].kind, .pid = NH_UNKNOWN, .number = NH_UNKNOWN
		};
		if (matches(shapes[i].shape, s, n, ret))
			return true;
	}
	return false;
}

const char *nh_xid_words(int64_t xid)
{
	for (size_t i = 0; i < COUNT(xids); i++)
		if (xids[i].xid == xid)
			return xids[i].words;
	return NULL;
}
