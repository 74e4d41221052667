#include "rules/nccl_version.h"

#include <string.h>
#include "base/str.h"
#include "know/nccl_versions.h"

static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

static bool lies_in(const struct nh_frame *f, const struct nh_module *m)
{
	return f->module && !strcmp(f->module, base_of(m->path)) &&
	       (!f->build_id || !m->build_id || !strcmp(f->build_id, m->build_id));
}

bool nh_nccl_has_frame(const struct nh_graph *g, int64_t pid, const struct nh_frame *f)
{
	nh_for(m, &g->ix.c->modules)
		if (m->pid == pid && m->nccl && lies_in(f, m))
			return true;
	return false;
}

static size_t count_frames(const struct nh_graph *g, const struct nh_module *m)
{
	size_t threads, n = 0;
	const struct nh_thread *const *t = nh_index_threads(&g->ix, m->pid, &threads);

	for (size_t i = 0; i < threads; i++) {
		const struct nh_stack *s = nh_index_stack(&g->ix, t[i]->stack);

		for (size_t k = 0; s && k < s->frames.n; k++)
			n += lies_in(&s->frames.v[k], m);
	}
	return n;
}

const struct nh_module *nh_nccl_module(const struct nh_graph *g, int64_t pid)
{
	const struct nh_module *best = NULL;
	size_t most = 0;

	nh_for(m, &g->ix.c->modules) {
		size_t n;

		if (m->pid != pid || !m->nccl)
			continue;
		n = count_frames(g, m);
		if (!best || n > most) {
			best = m;
			most = n;
		}
	}
	return best;
}

/* In a library or program that has NCCL linked in, other code may import shutdown too. */
static int shutdown_marker(const struct nh_module *m)
{
	return nh_starts_with(base_of(m->path), "libnccl") ? m->imports_shutdown : 0;
}

const char *nh_nccl_module_words(struct nh_arena *a, const struct nh_module *m)
{
	static const char *const from[] = { "found in", "ncclGetVersion of", "version string in",
		"name of the file" };
	static const char *const marker[] = { "", "; does not import shutdown",
		"; imports shutdown" };
	int how = m->nccl_from >= 0 && m->nccl_from <= NH_NCCL_FROM_NAME ? m->nccl_from : 0;
	int imports = shutdown_marker(m);

	return nh_arena_printf(a, "NCCL %s (%s %s%s%s)", m->nccl, from[how], base_of(m->path),
		m->deleted ? ", which was deleted or replaced" : "",
		marker[imports >= NH_NO && imports <= NH_YES ? imports : 0]);
}

const char *nh_nccl_words(struct nh_arena *a, const struct nh_graph *g, int64_t pid)
{
	const struct nh_module *used = nh_nccl_module(g, pid);
	const char *words;

	if (!used)
		return NULL;
	words = nh_nccl_module_words(a, used);
	nh_for(m, &g->ix.c->modules)
		if (m->pid == pid && m->nccl && m != used && !nh_streq(m->path, used->path))
			words = nh_arena_printf(
				a, "%s; it also maps %s", words, nh_nccl_module_words(a, m));
	return words;
}

/* The version line that begins both; NULL if no version or nothing about it is known. */
static const struct nh_nccl_era *tell_version(struct nh_arena *a, const struct nh_graph *g,
	int64_t pid, struct nh_finding *f, const struct nh_module **ret)
{
	const char *words = nh_nccl_words(a, g, pid);

	*ret = nh_nccl_module(g, pid);
	if (!words) {
		nh_tell_unknown(a, f, "which NCCL pid %jd uses", (intmax_t)pid);
		return NULL;
	}
	nh_tell_evidence(a, f, "pid %jd uses %s", (intmax_t)pid, words);
	return nh_nccl_era(nh_nccl_version_parse((*ret)->nccl));
}

static void tell_close_only(struct nh_arena *a, const struct nh_module *m, struct nh_finding *f)
{
	if (shutdown_marker(m) == NH_YES)
		nh_tell_evidence(a, f,
			"NCCL %s as released only closes its connections; this build imports "
			"shutdown, so the fix of 2.18.1 may have been put into it: for this "
			"connection it was evidently not executed",
			m->nccl);
	else
		nh_tell_evidence(a, f,
			"NCCL %s is one of 2.16.2 to 2.17.1: on abort its service thread leaves only "
			"when the last peer connection has ended, and connections are closed without "
			"shutdown(), so that a duplicate of the descriptor keeps one open (the shape "
			"of NCCL #863). 2.18.1 calls shutdown() first",
			m->nccl);
}

static void tell_shutdown(struct nh_arena *a, const struct nh_module *m,
	const struct nh_nccl_era *era, struct nh_finding *f)
{
	nh_tell_evidence(a, f,
		"NCCL %s calls shutdown() before close()%s, which ends a connection whoever holds "
		"duplicates: here that was evidently not executed. It is not where the process that "
		"opened the connection died or exec'd without teardown, or has not closed it yet",
		m->nccl, era->close_message ? " and sends a Close message before it" : "");
	if (shutdown_marker(m) == NH_NO)
		nh_tell_evidence(a, f,
			"%s does not import shutdown although its version should: this build lacks "
			"the fix",
			base_of(m->path));
}

void nh_nccl_tell_held(
	struct nh_arena *a, const struct nh_graph *g, int64_t pid, struct nh_finding *f)
{
	const struct nh_module *m;
	const struct nh_nccl_era *era = tell_version(a, g, pid, f, &m);

	if (!era)
		return;
	if (era->exit < NH_EXIT_PEERS)
		nh_tell_evidence(a, f,
			"by the source of NCCL %s %s; what was read of the threads and sockets says "
			"otherwise, and stands",
			m->nccl, nh_nccl_exit_words(era->exit));
	else if (era->close == NH_CLOSE_ONLY)
		tell_close_only(a, m, f);
	else
		tell_shutdown(a, m, era, f);
}

static void tell_note(struct nh_arena *a, const struct nh_module *m, const struct nh_nccl_note *n,
	struct nh_finding *f)
{
	char fixed[NH_NCCL_VERSION_TEXT];

	nh_tell_evidence(a, f, "known of NCCL %s: %s%s%s (%s%s%s)", m->nccl, n->text,
		n->kind == NH_NOTE_FIX ? ", mended in " : "",
		n->kind == NH_NOTE_FIX ? nh_nccl_version_text(n->from, fixed) : "",
		n->issues ? n->issues : "", n->issues ? "; " : "", n->source);
}

/* What the source of that version says, to be held against what was seen. */
static void tell_era(struct nh_arena *a, const struct nh_module *m, const struct nh_nccl_era *era,
	struct nh_finding *f)
{
	static const char *const names[] = { "progress", "service", "UDS", "RAS", "GIN", "RMA",
		"graph helper" };
	const char *threads = "";

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (era->threads >> i & 1)
			threads = nh_arena_printf(
				a, "%s%s%s", threads, *threads ? ", " : "", names[i]);
	if (era->exit != NH_EXIT_NO_SERVICE)
		nh_tell_evidence(a, f, "in NCCL %s %s; it polls %d slots%s; %s", m->nccl,
			nh_nccl_exit_words(era->exit), era->nfds,
			era->timeout_ms < 0
				? " without a timeout"
				: nh_arena_printf(a, ", %d ms at a time", era->timeout_ms),
			nh_nccl_join_words(era->join));
	nh_tell_evidence(a, f,
		"teardown of NCCL %s waits for, in this order: %s; its threads can be: %s (source: "
		"tag %s)",
		m->nccl, era->order, threads, era->source);
}

void nh_nccl_tell_known(
	struct nh_arena *a, const struct nh_graph *g, int64_t pid, struct nh_finding *f)
{
	const struct nh_module *m;
	const struct nh_nccl_era *era = tell_version(a, g, pid, f, &m);
	const struct nh_nccl_note *n = NULL;

	if (!era)
		return;
	tell_era(a, m, era, f);
	while ((n = nh_nccl_next_note(nh_nccl_version_parse(m->nccl), n)))
		if (n->teardown)
			tell_note(a, m, n, f);
}
