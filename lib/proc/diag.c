/*
 * sock_diag(7): what /proc/net/{tcp,tcp6,unix} says, in binary, and the other end of unix sockets,
 * which only it knows.  Fields are made to mean what they mean in /proc.
 */
#include "proc/net.h"
#include "base/cleanup.h"
#include "model/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define DUMP_BYTES 65536 /* the kernel sends at most 32 KiB at a time */
#define TIMEOUT_S 2
/* The states that /proc lists; a higher bit would add sockets that are only bound. */
#define ALL_STATES (((1U << NH_TCP_NEW_SYN_RECV) << 1) - (1U << NH_TCP_ESTABLISHED))

struct dump {
	nh_sock_fn *fn;
	void *ctx;
	int family;	  /* enum nh_family */
	bool interrupted; /* the tables changed while the kernel walked them */
	bool done;
};

static int ask(int fd, int family)
{
	struct {
		struct nlmsghdr h;
		union {
			struct inet_diag_req_v2 inet;
			struct unix_diag_req local;
		} u;
	} req = { .h = { .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP } };

	if (family == NH_UNIX) {
		req.h.nlmsg_len = NLMSG_LENGTH(sizeof(req.u.local));
		req.u.local.sdiag_family = AF_UNIX;
		req.u.local.udiag_states = ALL_STATES;
		req.u.local.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN;
	} else {
		req.h.nlmsg_len = NLMSG_LENGTH(sizeof(req.u.inet));
		req.u.inet.sdiag_family = family == NH_TCP4 ? AF_INET : AF_INET6;
		req.u.inet.sdiag_protocol = IPPROTO_TCP;
		req.u.inet.idiag_states = ALL_STATES;
	}
	return send(fd, &req, req.h.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* /proc shows no backlog limit as a listener's tx_queue, diag does. */
static int64_t tx_queue(int state, uint32_t queue)
{
	return state == NH_TCP_LISTEN ? 0 : queue;
}

static int inet_row(struct dump *d, struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	const struct inet_diag_sockid *id = &m->id;
	const size_t n = d->family == NH_TCP4 ? 4 : 16;
	struct nh_sock_row row = { .family = d->family, .peer_inode = NH_UNKNOWN };

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return -EBADMSG;
	row.state = m->idiag_state;
	row.inode = m->idiag_inode;
	row.uid = m->idiag_uid;
	row.rx_queue = m->idiag_rqueue;
	row.tx_queue = tx_queue(row.state, m->idiag_wqueue);
	nh_addr_set(&row.local, id->idiag_src, n, ntohs(id->idiag_sport));
	nh_addr_set(&row.remote, id->idiag_dst, n, ntohs(id->idiag_dport));
	return d->fn(d->ctx, &row);
}

/* A bound path carries its NUL, an abstract name starts with one; /proc prints inner NULs as '@'.
 */
static void unix_name(char *name, size_t len, struct nh_sock_row *row)
{
	if (len && name[0] && !name[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if (!name[i])
			name[i] = '@';
	row->path = name;
	row->path_len = len;
}

static void unix_attr(struct nlattr *a, struct nh_sock_row *row)
{
	char *data = (char *)a + NLA_HDRLEN;
	size_t len = a->nla_len - (size_t)NLA_HDRLEN;
	struct unix_diag_rqlen queues;
	uint32_t peer;

	switch (a->nla_type & NLA_TYPE_MASK) {
	case UNIX_DIAG_NAME:
		unix_name(data, len, row);
		break;
	case UNIX_DIAG_PEER:
		if (len < sizeof(peer))
			break;
		memcpy(&peer, data, sizeof(peer));
		row->peer_inode = peer;
		break;
	case UNIX_DIAG_RQLEN:
		if (len < sizeof(queues))
			break;
		memcpy(&queues, data, sizeof(queues));
		row->rx_queue = queues.udiag_rqueue;
		row->tx_queue = tx_queue(row->state, queues.udiag_wqueue);
		break;
	}
}

static int unix_row(struct dump *d, struct nlmsghdr *h)
{
	const struct unix_diag_msg *m = NLMSG_DATA(h);
	struct nh_sock_row row = { .family = NH_UNIX,
		.rx_queue = NH_UNKNOWN,
		.tx_queue = NH_UNKNOWN,
		.peer_inode = NH_UNKNOWN,
		.uid = NH_UNKNOWN };
	size_t at = NLMSG_LENGTH(sizeof(*m));

	if (h->nlmsg_len < at)
		return -EBADMSG;
	row.state = m->udiag_state;
	row.inode = m->udiag_ino;
	while (at + NLA_HDRLEN <= h->nlmsg_len) {
		struct nlattr *a = (struct nlattr *)((char *)h + at);

		if (a->nla_len < NLA_HDRLEN || a->nla_len > h->nlmsg_len - at)
			return -EBADMSG;
		unix_attr(a, &row);
		at += NLA_ALIGN(a->nla_len);
	}
	return d->fn(d->ctx, &row);
}

/* The status in an error message, or in the end of a dump: 0 or a negative errno. */
static int status_of(struct nlmsghdr *h)
{
	int status;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(status)))
		return h->nlmsg_type == NLMSG_DONE ? 0 : -EBADMSG;
	memcpy(&status, NLMSG_DATA(h), sizeof(status));
	return status < 0 ? status : 0;
}

static int message(struct dump *d, struct nlmsghdr *h)
{
	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		d->interrupted = true;
	switch (h->nlmsg_type) {
	case NLMSG_DONE:
	case NLMSG_ERROR:
		d->done = true;
		return status_of(h);
	case SOCK_DIAG_BY_FAMILY:
		return d->family == NH_UNIX ? unix_row(d, h) : inet_row(d, h);
	}
	return 0;
}

static int receive(int fd, struct dump *d)
{
	_Alignas(struct nlmsghdr) char buf[DUMP_BYTES];
	ssize_t got;
	int rc;

	while (!d->done) {
		do
			got = recv(fd, buf, sizeof(buf), MSG_TRUNC);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if ((size_t)got > sizeof(buf))
			return -EMSGSIZE;
		struct nlmsghdr *h = (struct nlmsghdr *)buf;

		for (size_t left = (size_t)got; !d->done && NLMSG_OK(h, left);
			h = NLMSG_NEXT(h, left)) {
			rc = message(d, h);
			if (rc)
				return rc;
		}
	}
	return 0;
}

int nh_diag_each(int family, nh_sock_fn *fn, void *ctx)
{
	static const struct timeval timeout = { .tv_sec = TIMEOUT_S };
	nh_auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		return -errno;
	for (int tries = 0; tries < 2; tries++) {
		struct dump d = { .fn = fn, .ctx = ctx, .family = family };
		int rc = ask(fd, family);

		if (!rc)
			rc = receive(fd, &d);
		if (rc || !d.interrupted)
			return rc;
	}
	return -EAGAIN;
}
