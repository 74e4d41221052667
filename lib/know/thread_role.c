/* Which row of know/thread_roles.c a thread is, and whether it is in that row's idle shape. */
#include <string.h>

#include "base/str.h"
#include "know/names.h"
#include "know/teardown.h"
#include "know/thread_roles.h"

/* Frames without a name that a native role may have between its function and its wait: inlined or
 * stripped steps of it, not the work that it does, which is deep and has exported names. */
enum { UNNAMED_MOST = 3 };

const char *nh_frame_name(const struct nh_frame *f, char *buf, size_t size)
{
	const char *dot;

	if (!f->python)
		return f->nearest ? "" : nh_frame_base(f, buf, size);
	dot = f->func ? strrchr(f->func, '.') : NULL;
	return dot && dot[1] ? dot + 1 : f->func ? f->func : "";
}

/* One of a list, up to its end: a function by its name, a Python one with where its file ends. */
static bool is_entry(const struct nh_frame *f, const char *name, const char *entry, size_t n)
{
	const char *at = memchr(entry, '@', n);
	size_t len = at ? (size_t)(at - entry) : n, tail, file;

	if (*entry == '/' || (at != NULL) != f->python || strncmp(name, entry, len) != 0 ||
		name[len])
		return false;
	if (!at)
		return true;
	if (!f->file)
		return false;
	tail = n - len - 1;
	file = strlen(f->file);
	return file >= tail && !strncmp(f->file + file - tail, at + 1, tail) &&
	       (file == tail || f->file[file - tail - 1] == '/');
}

bool nh_frame_is_named(const struct nh_frame *f, const char *name, const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, "|");

		/* The first letter first: this is asked of every frame for every row. */
		if (*list == *name && is_entry(f, name, list, n))
			return true;
		list += n + (list[n] == '|');
	}
	return false;
}

bool nh_frame_is_one_of(const struct nh_frame *f, const char *list)
{
	char buf[256];

	return nh_frame_is_named(f, nh_frame_name(f, buf, sizeof(buf)), list);
}

/* The root of a multiprocessing child's own frames. */
static bool starts_child(const struct nh_frame *f)
{
	return f->python && nh_frame_is_one_of(f, "_bootstrap@multiprocessing/process.py");
}

size_t nh_own_frames(const struct nh_stack *s)
{
	for (size_t i = 0; i < s->frames.n; i++)
		if (starts_child(&s->frames.v[i]))
			return i + 1;
	return s->frames.n;
}

bool nh_frame_is_runtime(const struct nh_frame *f)
{
	static const char *const modules[] = { "libc.so", "libc-", "libpthread", "libstdc++",
		"libgcc_s", "ld-linux", "ld-musl", "[vdso]" };

	for (size_t i = 0; f->module && i < sizeof(modules) / sizeof(*modules); i++)
		if (nh_starts_with(f->module, modules[i]))
			return true;
	return false;
}

/* "/libgomp" of a list is the module that a thread's first own function is in. */
static bool lists_module(const char *list, const char *module)
{
	while (list && *list) {
		size_t n = strcspn(list, "|");

		if (*list == '/' && !strncmp(module, list + 1, n - 1))
			return true;
		list += n + (list[n] == '|');
	}
	return false;
}

/* Whether the first n frames of the stack are only the way from the role's function to its wait. */
static bool is_quiet(enum nh_thread_role role, const struct nh_stack *s, size_t n, bool python)
{
	const struct nh_thread_role_row *row = nh_thread_role_row(role);
	int unnamed = 0;

	if (python && s->python)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct nh_frame *f = &s->frames.v[i];
		char buf[256];
		const char *name;

		if (python ? !f->python : nh_frame_is_runtime(f))
			continue;
		if (!f->python && f->module && lists_module(row->frame, f->module))
			continue;
		name = nh_frame_name(f, buf, sizeof(buf));
		if (*name ? nh_has_word(row->through, name) || nh_starts_with(name, "std::") ||
					nh_frame_is_named(f, name, row->frame)
			  : ++unnamed <= UNNAMED_MOST)
			continue;
		return false;
	}
	return true;
}

static enum nh_thread_role by_module(const struct nh_stack *s)
{
	size_t i = s->frames.n;

	while (i && nh_frame_is_runtime(&s->frames.v[i - 1]))
		i--;
	for (int r = NH_THREAD_ANY + 1; i && s->complete && r < NH_THREAD_ROLES; r++)
		if (s->frames.v[i - 1].module &&
			lists_module(nh_thread_role_row((enum nh_thread_role)r)->frame,
				s->frames.v[i - 1].module))
			return (enum nh_thread_role)r;
	return NH_THREAD_ANY;
}

struct nh_stack_role nh_stack_role(const struct nh_stack *s)
{
	struct nh_stack_role ret = { .role = NH_THREAD_ANY, .awaits = nh_await_of(s) };
	size_t own = nh_own_frames(s), at = 0;
	struct nh_names names = { 0 };

	for (int r = NH_THREAD_ANY + 1; r < NH_THREAD_ROLES; r++)
		nh_names_add(&names, nh_thread_role_row((enum nh_thread_role)r)->frame);
	ret.child = own && starts_child(&s->frames.v[own - 1]);
	for (size_t i = 0; i < own; i++) {
		const struct nh_frame *f = &s->frames.v[i];
		char buf[256];
		const char *name = nh_frame_name(f, buf, sizeof(buf));
		int last = ret.role == NH_THREAD_ANY ? NH_THREAD_ROLES - 1 : (int)ret.role;

		for (int r = NH_THREAD_ANY + 1; nh_names_may_have(&names, name) && r <= last; r++)
			if (nh_frame_is_named(
				    f, name, nh_thread_role_row((enum nh_thread_role)r)->frame)) {
				ret.role = (enum nh_thread_role)r;
				at = i;
				break;
			}
	}
	if (ret.role != NH_THREAD_ANY) {
		ret.quiet = is_quiet(ret.role, s, at, s->frames.v[at].python);
		return ret;
	}
	ret.role = by_module(s);
	ret.quiet = ret.role != NH_THREAD_ANY && is_quiet(ret.role, s, s->frames.n, false);
	return ret;
}

static bool is_named(const char *list, const char *comm)
{
	while (list && *list) {
		size_t n = strcspn(list, "|");
		bool begins = n && list[n - 1] == '*';

		if (!strncmp(list, comm, n - begins) && (begins || !comm[n]))
			return true;
		list += n + (list[n] == '|');
	}
	return false;
}

enum nh_thread_role nh_thread_role_of(const struct nh_thread_clues *c)
{
	if (c->by_stack.role != NH_THREAD_ANY)
		return c->by_stack.role;
	for (int r = NH_THREAD_ANY + 1; r < NH_THREAD_ROLES; r++) {
		const struct nh_thread_role_row *row = nh_thread_role_row((enum nh_thread_role)r);

		if (c->comm && is_named(row->comm, c->comm))
			return (enum nh_thread_role)r;
		/* The fork server's children have its command line. */
		if (c->main && !c->by_stack.child && row->cmdline && c->cmdline &&
			strstr(c->cmdline, row->cmdline))
			return (enum nh_thread_role)r;
	}
	if (c->main && c->by_stack.child)
		return NH_THREAD_CHILD;
	if (c->main && c->ranked)
		return NH_THREAD_TRAINER;
	return c->listens || c->wait->kind == NH_WAIT_ACCEPT ? NH_THREAD_SERVER : NH_THREAD_ANY;
}

bool nh_thread_role_is_idle(enum nh_thread_role role, const struct nh_thread_clues *c)
{
	const struct nh_thread_role_row *row = nh_thread_role_row(role);

	if (!(row->waits >> c->wait->kind & 1) || (row->helper && c->main && !c->listens))
		return false;
	if (row->bound != NH_BOUND_ANY &&
		(c->wait->timeout_ms == -1) != (row->bound == NH_BOUND_NO_TIMEOUT))
		return false;
	if (!strcmp(row->through, "*"))
		return true;
	if (c->by_stack.role == role)
		return c->by_stack.quiet;
	/* Told by its name: a Python function would show on a stack that was read. */
	return c->stack && row->frame && !strchr(row->frame, '@') &&
	       is_quiet(role, c->stack, c->stack->frames.n, false);
}
