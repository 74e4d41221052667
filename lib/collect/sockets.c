#include <errno.h>
#include <string.h>
#include "base/str.h"
#include "collect/internal.h"
#include "proc/net.h"

/*
 * The tables of one namespace are kept in a compact copy for as long as it takes to pick the rows
 * that matter: those some subject holds or waits on, and their other ends.
 */
struct namespace
{
	struct nh_collector *k;
	struct nh_arena tmp;
	int64_t netns;
	NH_VEC(struct nh_sock_row) rows;
};

static int keep(void *ctx, const struct nh_sock_row *row)
{
	struct namespace *ns = ctx;
	struct nh_sock_row *copy = nh_push(&ns->tmp, &ns->rows);

	*copy = *row;
	if (row->path)
		copy->path = nh_arena_strndup(&ns->tmp, row->path, row->path_len);
	if (row->family == NH_UNIX)
		nh_set_add(ns->k->a, &ns->k->unix_inodes, (uint64_t)row->inode);
	return 0;
}

static void emit(struct namespace *ns, const struct nh_sock_row *row)
{
	struct nh_collector *k = ns->k;
	struct nh_socket *s = nh_case_row(k->c, socket, sockets);
	char text[NH_ADDR_TEXT];

	s->sample = k->sample;
	s->netns = ns->netns;
	s->family = row->family;
	s->state = row->state;
	s->inode = row->inode;
	s->rx_queue = row->rx_queue;
	s->tx_queue = row->tx_queue;
	if (row->family == NH_UNIX) {
		s->peer_inode = row->peer_inode;
		if (row->path)
			s->local = nh_utf8_repair(k->a, row->path, row->path_len);
	} else {
		s->local = nh_arena_strdup(k->a, nh_addr_text(&row->local, text));
		s->remote = nh_arena_strdup(k->a, nh_addr_text(&row->remote, text));
	}
}

/* The identity of a connection as seen from its end a. */
static uint64_t tuple(const struct nh_addr *a, const struct nh_addr *b)
{
	uint64_t h = nh_hash(a->ip, sizeof(a->ip), a->port);

	return nh_hash(b->ip, sizeof(b->ip), h ^ ((uint64_t)b->port << 32));
}

/* What names a row's other end in the other end's own words. */
static uint64_t other_end(const struct nh_sock_row *row)
{
	if (row->family == NH_UNIX)
		return row->peer_inode > 0 ? (uint64_t)row->peer_inode : 0;
	return row->state == NH_TCP_LISTEN ? 0 : tuple(&row->remote, &row->local);
}

static uint64_t own_end(const struct nh_sock_row *row)
{
	return row->family == NH_UNIX ? (uint64_t)row->inode : tuple(&row->local, &row->remote);
}

void nh_search_for(struct nh_collector *k, int64_t inode)
{
	if (inode > 0 && nh_set_add(k->a, &k->searched, (uint64_t)inode))
		*nh_push(k->a, &k->search_list) = inode;
}

/* The local addresses that some subject listens on. */
static void find_listeners(struct namespace *ns, const struct nh_set *held, struct nh_set *ret)
{
	static const struct nh_addr nobody;

	nh_for(row, &ns->rows)
		if (row->family != NH_UNIX && row->state == NH_TCP_LISTEN &&
			nh_set_has(held, (uint64_t)row->inode))
			nh_set_add(&ns->tmp, ret, tuple(&row->local, &nobody));
}

/* Whether somebody waits on this end, or may: a thread that spins on what came in through its
 * listener is never seen waiting. */
static bool matters(
	const struct namespace *ns, const struct nh_sock_row *row, const struct nh_set *listeners)
{
	static const struct nh_addr nobody;

	return nh_set_has(&ns->k->waited, (uint64_t)row->inode) ||
	       (row->family != NH_UNIX && row->state == NH_TCP_ESTABLISHED &&
		       nh_set_has(listeners, tuple(&row->local, &nobody)));
}

static void pick(struct namespace *ns, const struct nh_set *held)
{
	struct nh_collector *k = ns->k;
	struct nh_set ends = { 0 }, far_ends = { 0 }, emitted = { 0 }, listeners = { 0 };

	find_listeners(ns, held, &listeners);
	nh_for(row, &ns->rows) {
		/* A dump that was disturbed and begun anew may name a socket twice. */
		if (!nh_set_has(held, (uint64_t)row->inode) ||
			!nh_set_add(&ns->tmp, &emitted, (uint64_t)row->inode))
			continue;
		emit(ns, row);
		nh_set_add(&ns->tmp, &ends, other_end(row));
		if (matters(ns, row, &listeners)) {
			nh_set_add(&ns->tmp, &far_ends, other_end(row));
			nh_search_for(k, row->inode);
		}
	}
	nh_for(row, &ns->rows) {
		uint64_t name = own_end(row);

		if (nh_set_has(&ends, name) && !nh_set_has(&emitted, (uint64_t)row->inode))
			emit(ns, row);
		if (nh_set_has(&far_ends, name))
			nh_search_for(k, row->inode);
	}
}

/* A process directory inside the namespace, whose net/ tables can stand in for sock_diag. */
static int a_member(const struct nh_collector *k, int64_t netns)
{
	nh_for(s, &k->subjects)
		if (s->netns == netns && !s->ended)
			return s->dir;
	return -1;
}

static void read_namespace(struct nh_collector *k, int64_t netns, const struct nh_set *held)
{
	struct namespace ns = { .k = k, .netns = netns };

	for (int family = NH_TCP4; family <= NH_UNIX; family++) {
		int r = -ENOENT;

		if (!nh_mark_begin(k->mark, 0, "sockets"))
			break;
		if (netns == k->self_netns && !k->recorded) {
			size_t before = ns.rows.n;

			r = nh_diag_each(family, keep, &ns);
			if (r)
				ns.rows.n = before;
		}
		if (r)
			r = nh_net_each(a_member(k, netns), family, keep, &ns);
		if (r && r != -ENOENT)
			nh_gap_said(k,
				nh_arena_printf(k->a, "network namespace %jd", (intmax_t)netns),
				"socket table", nh_arena_strdup(k->a, strerror(-r)), NULL, true);
	}
	pick(&ns, held);
	nh_arena_free(&ns.tmp);
}

void nh_read_sockets(struct nh_collector *k)
{
	struct nh_arena tmp = { 0 };
	struct nh_set held = { 0 }, seen = { 0 };

	k->c->sockets.n = 0;
	nh_for(f, &k->c->fds)
		if (f->kind == NH_FD_SOCKET && f->sample == k->sample)
			nh_set_add(&tmp, &held, (uint64_t)f->inode);
	nh_for(s, &k->subjects)
		if (!s->ended && s->netns != NH_UNKNOWN &&
			nh_set_add(&tmp, &seen, (uint64_t)s->netns))
			read_namespace(k, s->netns, &held);
	nh_arena_free(&tmp);
}
