/* /proc/PID/net/{tcp,tcp6,unix}: a host may have 100,000 rows, so nothing here is sscanf. */
#include "proc/parse.h"
#include "proc/scan.h"
#include "model/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

void nh_addr_set(struct nh_addr *addr, const void *ip, size_t n, uint16_t port)
{
	memcpy(addr->ip, mapped, sizeof(mapped));
	memcpy(addr->ip + sizeof(addr->ip) - n, ip, n);
	addr->port = port;
}

char *nh_addr_text(const struct nh_addr *addr, char buf[NH_ADDR_TEXT])
{
	char ip[INET6_ADDRSTRLEN];
	bool v4 = !memcmp(addr->ip, mapped, sizeof(mapped));

	inet_ntop(
		v4 ? AF_INET : AF_INET6, v4 ? addr->ip + sizeof(mapped) : addr->ip, ip, sizeof(ip));
	snprintf(buf, NH_ADDR_TEXT, v4 ? "%s:%u" : "[%s]:%u", ip, addr->port);
	return buf;
}

/* An address is printed word by word, each as the number that it is to the host. */
static bool scan_addr(struct nh_scan *s, int family, struct nh_addr *ret)
{
	const size_t nwords = family == NH_TCP4 ? 1 : 4;
	uint32_t words[4] = { 0 };
	uint64_t port;

	nh_scan_blank(s);
	if ((size_t)(s->end - s->p) < nwords * 8)
		return false;
	for (size_t i = 0; i < nwords * 8; i++) {
		unsigned d = nh_scan_digit(*s->p++);

		if (d > 15)
			return false;
		words[i / 8] = words[i / 8] << 4 | d;
	}
	if (!nh_scan_char(s, ':') || !nh_scan_u64(s, 16, &port) || port > UINT16_MAX)
		return false;
	nh_addr_set(ret, words, nwords * 4, (uint16_t)port);
	return true;
}

/* "SL: LOCAL:PORT REMOTE:PORT ST TX:RX TIMER:WHEN RETRANS UID TIMEOUT INODE …" */
static bool scan_tcp(struct nh_scan *s, struct nh_sock_row *ret)
{
	uint64_t slot, state, tx, rx;
	int64_t timeout;

	if (!nh_scan_u64(s, 10, &slot) || !nh_scan_char(s, ':') ||
		!scan_addr(s, ret->family, &ret->local) ||
		!scan_addr(s, ret->family, &ret->remote) || !nh_scan_u64(s, 16, &state) ||
		!nh_scan_u64(s, 16, &tx) || !nh_scan_char(s, ':') || !nh_scan_u64(s, 16, &rx))
		return false;
	if (state < NH_TCP_ESTABLISHED || state > NH_TCP_NEW_SYN_RECV || tx > UINT32_MAX ||
		rx > UINT32_MAX)
		return false;
	ret->state = (int)state;
	ret->tx_queue = (int64_t)tx;
	ret->rx_queue = (int64_t)rx;
	for (int timer_and_retransmits = 0; timer_and_retransmits < 2; timer_and_retransmits++) {
		nh_scan_blank(s);
		nh_scan_skip(s);
	}
	return nh_scan_i64(s, &ret->uid) && nh_scan_i64(s, &timeout) && nh_scan_i64(s, &ret->inode);
}

/* The kernel prints the socket layer's enum socket_state here, not that of the protocol. */
static int unix_state(uint64_t flags, uint64_t state)
{
	enum { ACCEPTCON = 0x10000, CONNECTING = 2, CONNECTED = 3 };

	if (flags & ACCEPTCON)
		return NH_TCP_LISTEN;
	/* Connecting is how a connection looks that waits for accept(). */
	return state == CONNECTED || state == CONNECTING ? NH_TCP_ESTABLISHED : NH_TCP_CLOSE;
}

/* "ADDRESS: REFS PROTOCOL FLAGS TYPE ST INODE[ PATH]"; a path is cut at its first newline. */
static bool scan_unix(struct nh_scan *s, struct nh_sock_row *ret)
{
	const char *first = s->p;
	uint64_t refs, protocol, flags, type, state;

	nh_scan_skip(s);
	if (s->p == first || s->p[-1] != ':' || !nh_scan_u64(s, 16, &refs) ||
		!nh_scan_u64(s, 16, &protocol) || !nh_scan_u64(s, 16, &flags) ||
		!nh_scan_u64(s, 16, &type) || !nh_scan_u64(s, 16, &state) ||
		!nh_scan_i64(s, &ret->inode))
		return false;
	ret->state = unix_state(flags, state);
	if (nh_scan_char(s, ' ')) {
		ret->path = s->p;
		ret->path_len = (size_t)(s->end - s->p);
	}
	return true;
}

int nh_parse_sock_row(int family, const char *buf, size_t len, size_t *pos, struct nh_sock_row *ret)
{
	struct nh_scan text = { buf + *pos, buf + len }, s;

	while (nh_scan_line(&text, &s)) {
		*pos = (size_t)(text.p - buf);
		*ret = (struct nh_sock_row){ .family = family,
			.rx_queue = NH_UNKNOWN,
			.tx_queue = NH_UNKNOWN,
			.peer_inode = NH_UNKNOWN,
			.uid = NH_UNKNOWN };
		/* Without its newline a row may have lost digits of its inode; the heading
		 * does not scan as a row. */
		if (s.end < text.end &&
			(family == NH_UNIX ? scan_unix(&s, ret) : scan_tcp(&s, ret)))
			return 1;
	}
	return 0;
}
