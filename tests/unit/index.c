#include "tap.h"
#include "hang.h"

#include <stdlib.h>
#include "model/index.h"

static struct nh_index index_of(const struct nh_case *c, int64_t sample)
{
	struct nh_index ix;

	nh_index_build(c->arena, c, sample, &ix);
	return ix;
}

static void rows(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 2);
	struct nh_index ix;
	size_t n;

	c->threads.v[0].nstid = 7; /* as in a pid namespace */
	ix = index_of(c, 1);
	ok(nh_index_process(&ix, HELPER) && nh_index_process(&ix, HELPER)->ppid == RANK);
	ok(nh_index_process(&ix, HELPER)->sample == 1);
	ok(!nh_index_process(&ix, 999));
	ok(nh_index_thread(&ix, RANK, SERVICE)->nr == 7);
	ok(!nh_index_thread(&ix, HELPER, SERVICE));
	ok(nh_index_thread_ns(&ix, RANK, 7)->tid == RANK);
	ok(!nh_index_thread_ns(&ix, RANK, RANK));
	ok(!nh_index_thread_ns(&ix, HELPER, 7));
	ok(nh_index_threads(&ix, RANK, &n)[1]->tid == SERVICE && n == 2);
	ok(!nh_index_threads(&ix, 150, &n) && n == 0);
	ok(nh_index_threads(&ix, HELPER, &n) && n == 1);
	ix = index_of(c, 3);
	ok(!nh_index_process(&ix, RANK) && !nh_index_threads(&ix, RANK, &n));
}

static void peers(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 1);
	struct nh_socket *self = hang_socket(c, 1, 30, NH_TCP_ESTABLISHED, "[::1]:9", "[::1]:9");
	struct nh_socket *far, *unix_end, *other_end;
	struct nh_index ix;

	/* The same addresses in another network namespace are another connection. */
	far = hang_socket(c, 1, 31, NH_TCP_ESTABLISHED, "10.0.0.1:40", "10.0.0.1:50");
	far->netns = 2;
	unix_end = hang_socket(c, 1, 40, NH_TCP_ESTABLISHED, NULL, NULL);
	unix_end->family = NH_UNIX;
	unix_end->peer_inode = 41;
	other_end = hang_socket(c, 1, 41, NH_TCP_ESTABLISHED, "@name", NULL);
	other_end->family = NH_UNIX;
	ix = index_of(c, 1);
	ok(nh_index_peer(&ix, nh_index_socket(&ix, NEAR))->inode == FAR);
	ok(nh_index_peer(&ix, nh_index_socket(&ix, FAR))->inode == NEAR);
	ok(!nh_index_peer(&ix, nh_index_socket(&ix, LISTENER)));
	ok(!nh_index_peer(&ix, nh_index_socket(&ix, 31)));
	ok(!nh_index_peer(&ix, nh_index_socket(&ix, 30)) && self->inode == 30);
	ok(nh_index_peer(&ix, nh_index_socket(&ix, 40))->inode == 41);
	ok(!nh_index_peer(&ix, nh_index_socket(&ix, 41)));
	ok(!nh_index_socket(&ix, 0));
}

static void holders(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 1);
	const struct nh_fd *const *h;
	struct nh_index ix;
	size_t n;

	hang_fd(c, 1, 50, 3, FAR);
	hang_fd(c, 1, HELPER, 5, FAR);
	hang_fd(c, 2, HELPER, 6, FAR);
	hang_fd(c, 1, HELPER, 9, 0);
	ix = index_of(c, 1);
	h = nh_index_holders(&ix, FAR, &n);
	ok(n == 3 && h[0]->pid == 50 && h[1]->fd == 5 && h[2]->fd == 7);
	ok(!nh_index_holders(&ix, 99, &n) && n == 0);
	ok(!nh_index_holders(&ix, 0, &n) && n == 0);
}

static void own_tables(struct nh_arena *a)
{
	struct nh_case *c = hang_case(a, 1);
	const struct nh_thread *t;
	struct nh_index ix;

	hang_fd(c, 1, RANK, 8, FAR)->tid = SERVICE;
	ix = index_of(c, 1);
	t = nh_index_thread(&ix, RANK, SERVICE);
	ok(nh_index_fd(&ix, t, 8)->inode == NEAR);
	c->threads.v[1].own_fds = true;
	ok(nh_index_fd(&ix, t, 8)->inode == FAR);
	ok(!nh_index_fd(&ix, t, 4));
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_case empty = { .arena = &a };
	struct nh_index ix = index_of(&empty, 1);

	ok(!nh_index_process(&ix, 1) && !nh_index_socket(&ix, 1));
	rows(&a);
	peers(&a);
	holders(&a);
	own_tables(&a);
	nh_arena_free(&a);
	return done();
}
