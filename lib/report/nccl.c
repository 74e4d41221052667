#include <inttypes.h>
#include "rules/nccl_map.h"
#include "report/words.h"

#define COMMS_SHOWN 8

static const char *who(struct nh_doc *d, const struct nh_map_comm *c)
{
	const char *rank = c->rank == NH_UNKNOWN
				   ? ""
				   : nh_arena_printf(d->arena, "rank %" PRId64 ", ", c->rank);

	return nh_arena_printf(d->arena, "%spid %" PRId64 ": service thread %" PRId64 " on %s%s",
		rank, c->service->pid, c->service->tid, c->listener ? c->listener : "?",
		c->joined_by == NH_UNKNOWN
			? ""
			: nh_arena_printf(d->arena, ", joined by thread %" PRId64, c->joined_by));
}

static void one(struct nh_doc *d, const struct nh_map_comm *c)
{
	nh_doc_add(d, NH_B_ITEM, who(d, c));
	nh_for(p, &c->peers)
		nh_doc_printf(d, NH_B_LINE, "slot %" PRId64 ", fd %" PRId64 ": %s, %s of %s",
			p->slot, p->fd,
			p->state > 0 && p->state <= NH_TCP_NEW_SYN_RECV
				? nh_tcp_state_names[p->state]
				: "?",
			p->address, p->held_by);
	if (!c->peers.n)
		nh_doc_add(d, NH_B_LINE,
			c->busy ? "busy, not in its poll: its peers cannot be read"
				: "no live peer");
	if (c->progress)
		nh_doc_printf(d, NH_B_LINE, "progress: %s", c->progress);
}

void nh_words_nccl(struct nh_doc *d, const struct nh_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct nh_case *c = v->cases[i];
		struct nh_graph g;
		struct nh_map map;
		size_t shown;

		if (!c->samples.n)
			continue;
		nh_graph_build(d->arena, c, nh_last_sample(c), &g);
		nh_map_build(d->arena, &g, &map);
		if (!map.comms.n)
			continue;
		nh_doc_printf(d, NH_B_HEADING, "NCCL's control plane%s%s", v->n > 1 ? " on " : "",
			v->n > 1 && c->host ? c->host : "");
		shown = v->all || map.comms.n <= COMMS_SHOWN ? map.comms.n : COMMS_SHOWN;
		for (size_t j = 0; j < shown; j++)
			one(d, &map.comms.v[j]);
		if (shown < map.comms.n)
			nh_doc_printf(d, NH_B_PARA, "%zu further communicators (--all shows them)",
				map.comms.n - shown);
	}
}
