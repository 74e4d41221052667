#include "timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "model/process.h"
#include "model/socket.h"
#include "proc/net.h"
#include "proc/read.h"

struct ends {
	int port, peer_port;
	struct nh_sock_row row[2]; /* the service thread's end, the other end */
	bool found[2];
};

static int keep_end(void *ctx, const struct nh_sock_row *row)
{
	struct ends *ends = ctx;
	bool mine = row->local.port == ends->port && row->remote.port == ends->peer_port;
	bool peer = row->local.port == ends->peer_port && row->remote.port == ends->port;

	if (mine || peer) {
		ends->row[peer] = *row;
		ends->found[peer] = true;
	}
	return 0;
}

static int match_inode(void *ctx, int dirfd, int64_t fd)
{
	int64_t inode;
	char name[24], link[64];
	ssize_t n;

	snprintf(name, sizeof(name), "%lld", (long long)fd);
	n = nh_read_link(dirfd, name, link, sizeof(link));
	if (n < 0 || nh_parse_fd_link(link, (size_t)n, &inode) != NH_FD_SOCKET)
		return 0;
	return inode == *(int64_t *)ctx ? (int)fd : 0;
}

/* Descriptors 0 to 2 of these processes are no sockets of ours, so 0 can mean none. */
static int fd_of(int pid, int64_t inode)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return nh_each_number(AT_FDCWD, path, match_inode, &inode);
}

static void say_end(struct nh_timeline *t, const struct nh_sock_row *row,
	const struct nh_demo_actor actors[NH_DEMO_ACTORS])
{
	char local[NH_ADDR_TEXT], remote[NH_ADDR_TEXT], held[128] = "";
	size_t n = 0;

	for (int i = 0; i < NH_DEMO_ACTORS; i++) {
		int fd = actors[i].pid ? fd_of(actors[i].pid, row->inode) : 0;

		if (fd > 0)
			n += (size_t)snprintf(held + n, sizeof(held) - n, "%s %s (pid %d) fd %d",
				n ? "," : "", actors[i].name, actors[i].pid, fd);
	}
	nh_timeline_say(t, nh_now_ns(), "kernel: %s -> %s %s, held by%s",
		nh_addr_text(&row->local, local), nh_addr_text(&row->remote, remote),
		nh_tcp_state_names[row->state], n ? held : " no process of the demo");
}

void nh_timeline_kernel(struct nh_timeline *t, int port, int peer_port,
	const struct nh_demo_actor actors[NH_DEMO_ACTORS])
{
	struct ends ends = { .port = port, .peer_port = peer_port };
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "/proc/%d", actors[0].pid);
	nh_auto_close int dir = nh_dir_open(AT_FDCWD, path);

	rc = dir < 0 ? dir : nh_net_each(dir, NH_TCP4, keep_end, &ends);
	if (rc < 0)
		nh_timeline_say(t, nh_now_ns(), "kernel: no socket table here: %s: %s", path,
			strerror(-rc));
	for (int i = 0; i < 2; i++)
		if (ends.found[i])
			say_end(t, &ends.row[i], actors);
}
