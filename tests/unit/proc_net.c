/* Socket tables: rows as text, and both sources compared over sockets made here. */
#include "tap.h"
#include "base/clock.h"
#include "proc/net.h"
#include "model/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define TEXT(s) (s), sizeof(s) - 1
#define MAX 64

static void tcp_rows(void)
{
	static const char tcp[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"
		"  timeout inode\n"
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000  1000"
		"        0 1151 1 00000000284af545 100 0 0 10 0       \n"
		"   1: 0100007F:1F90 0200007\n"
		"   2: 0100007F:1F90 0200007F:0050 01 00000010:00000000 02:000003E8 00000000     0"
		"       -1 77 2 0000000000000000 20 4 30 10 -1\n"
		"   3: 0100007F:1F90 0200007F:0050 01 00000010:00000000 02:000003E8 00000000     0"
		"        0 7";
	static const char tcp6[] =
		"   0: 0000000000000000FFFF00000100007F:1F90 B80D0120000000000000000001000000:0050 "
		"01"
		" 00000000:00000000 00:00000000 00000000     0        0 5 1 0 20 4 30 10 -1\n";
	char text[NH_ADDR_TEXT];
	struct nh_sock_row r;
	size_t pos = 0;

	ok(nh_parse_sock_row(NH_TCP4, TEXT(tcp), &pos, &r) == 1);
	ok(r.family == NH_TCP4 && r.state == NH_TCP_LISTEN && r.inode == 1151 && r.uid == 1000);
	ok(r.rx_queue == 3 && r.tx_queue == 0 && r.peer_inode == NH_UNKNOWN && !r.path);
	is(nh_addr_text(&r.local, text), "127.0.0.1:8080");
	is(nh_addr_text(&r.remote, text), "0.0.0.0:0");
	ok(nh_parse_sock_row(NH_TCP4, TEXT(tcp), &pos, &r) == 1 && r.inode == 77);
	ok(r.tx_queue == 16 && r.state == NH_TCP_ESTABLISHED);
	is(nh_addr_text(&r.remote, text), "127.0.0.2:80");
	ok(nh_parse_sock_row(NH_TCP4, TEXT(tcp), &pos, &r) == 0);
	pos = 0;
	ok(nh_parse_sock_row(NH_TCP6, TEXT(tcp6), &pos, &r) == 1 && r.inode == 5);
	is(nh_addr_text(&r.local, text), "127.0.0.1:8080");
	is(nh_addr_text(&r.remote, text), "[2001:db8::1]:80");
}

static void unix_rows(void)
{
	static const char rows[] =
		"Num       RefCount Protocol Flags    Type St Inode Path\n"
		"00000000e92107c2: 00000003 00000000 00000000 0001 03  1147\n"
		"00000000e92107c2: 00000002 00000000 00010000 0001 01 22000 @/tmp/a b\n"
		"00000000e92107c2: 00000002 00000000 00000000 0002 01 1 /x\ny\n"
		"00000000e92107c2: 00000002 00000000 00000000 0001 02 0 /z\n";
	struct nh_sock_row r;
	size_t pos = 0;

	ok(nh_parse_sock_row(NH_UNIX, TEXT(rows), &pos, &r) == 1 && r.inode == 1147);
	ok(r.state == NH_TCP_ESTABLISHED && !r.path && r.rx_queue == NH_UNKNOWN);
	ok(nh_parse_sock_row(NH_UNIX, TEXT(rows), &pos, &r) == 1 && r.inode == 22000);
	ok(r.state == NH_TCP_LISTEN && r.path_len == 9 && !memcmp(r.path, "@/tmp/a b", 9));
	ok(nh_parse_sock_row(NH_UNIX, TEXT(rows), &pos, &r) == 1 && r.state == NH_TCP_CLOSE);
	ok(r.path_len == 2);
	ok(nh_parse_sock_row(NH_UNIX, TEXT(rows), &pos, &r) == 1 && r.inode == 0);
	ok(r.state == NH_TCP_ESTABLISHED);
	ok(nh_parse_sock_row(NH_UNIX, TEXT(rows), &pos, &r) == 0);
}

static int count(void *ctx, const struct nh_sock_row *row)
{
	int64_t *sum = ctx;

	sum[0]++;
	sum[1] += row->inode;
	return sum[2] == sum[0] ? 42 : 0;
}

/* A table of many reads, so that rows are cut at every place of the buffer. */
static void big_table(void)
{
	char path[] = "/tmp/ncclhang-net-XXXXXX";
	int64_t sum[3] = { 0 };
	int dir, n = 20000;
	FILE *f;

	if (!ok(mkdtemp(path) != NULL))
		return;
	dir = open(path, O_RDONLY | O_DIRECTORY);
	ok(nh_net_each(dir, NH_TCP4, count, sum) == -ENOENT);
	ok(!mkdirat(dir, "net", 0700));
	f = fdopen(openat(dir, "net/tcp", O_WRONLY | O_CREAT, 0600), "w");
	fprintf(f, "  sl  local_address\n");
	for (int i = 1; i <= n; i++)
		fprintf(f, "%4d: 0100007F:%04X 0100007F:0001 01 0:0 00:0 0 0 0 %d 1 0\n", i,
			i & 0xffff, i);
	fflush(f);
	ok(!nh_net_each(dir, NH_TCP4, count, sum));
	ok(sum[0] == n && sum[1] == (int64_t)n * (n + 1) / 2);
	sum[0] = 0;
	sum[2] = 3;
	ok(nh_net_each(dir, NH_TCP4, count, sum) == 42 && sum[0] == 3);
	for (int i = 0; i < 70000; i++)
		fputc('x', f);
	fclose(f);
	sum[2] = 0;
	ok(nh_net_each(dir, NH_TCP4, count, sum) == -EINVAL); /* a line longer than any row */
	unlinkat(dir, "net/tcp", 0);
	unlinkat(dir, "net", AT_REMOVEDIR);
	close(dir);
	rmdir(path);
}

/* The sockets made here, and the rows of one source that belong to them. */
struct mine {
	int fds[MAX];
	int n;
	uint16_t ports[MAX];
	int nports;
	char name[32];
};

struct rows {
	const struct mine *mine;
	struct nh_sock_row r[MAX];
	char text[MAX][256];
	int n;
};

static int add(struct mine *m, int fd)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);

	if (fd < 0 || m->n == MAX)
		return -1;
	m->fds[m->n++] = fd;
	if (!getsockname(fd, (struct sockaddr *)&ss, &len) && ss.ss_family != AF_UNIX) {
		/* The port is at the same place in both families. */
		m->ports[m->nports++] = ntohs(((struct sockaddr_in *)&ss)->sin_port);
	}
	return fd;
}

static int64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? -1 : (int64_t)st.st_ino;
}

static int is_mine(const struct mine *m, const struct nh_sock_row *row)
{
	for (int i = 0; row->inode && i < m->n; i++)
		if (inode_of(m->fds[i]) == row->inode)
			return 1;
	/* Nobody owns a connection that was not accepted yet, or that is past its close(). */
	for (int i = 0; !row->inode && row->family != NH_UNIX && i < m->nports; i++)
		if (row->local.port == m->ports[i])
			return 1;
	return 0;
}

static int keep(void *ctx, const struct nh_sock_row *row)
{
	struct rows *rows = ctx;
	char local[NH_ADDR_TEXT], remote[NH_ADDR_TEXT];

	if (!is_mine(rows->mine, row) || rows->n == MAX)
		return 0;
	/* Queues are compared where both sources have them. */
	snprintf(rows->text[rows->n], sizeof(rows->text[0]), "%d %s %d %s %s %.*s %d %d",
		row->family, nh_tcp_state_names[row->state], (int)row->inode,
		nh_addr_text(&row->local, local), nh_addr_text(&row->remote, remote),
		(int)row->path_len, row->path ? row->path : "",
		row->family == NH_UNIX ? 0 : (int)row->rx_queue,
		row->family == NH_UNIX ? 0 : (int)row->tx_queue);
	rows->r[rows->n++] = *row;
	return 0;
}

static const struct nh_sock_row *row_of(const struct rows *rows, int fd)
{
	for (int i = 0; i < rows->n; i++)
		if (rows->r[i].inode == inode_of(fd))
			return &rows->r[i];
	return NULL;
}

static int listener(struct mine *m, int family, const struct sockaddr *sa, socklen_t len)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, sa, len) || listen(fd, 8)) {
		close(fd);
		return -1;
	}
	return add(m, fd);
}

static int client(struct mine *m, int family, const struct sockaddr *sa, socklen_t len)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, sa, len)) {
		close(fd);
		return -1;
	}
	return add(m, fd);
}

/* Leaves a connection in TIME_WAIT behind. */
static void brief(struct mine *m, int listening, const struct sockaddr *sa, socklen_t len)
{
	int fd = client(m, sa->sa_family, sa, len), accepted = accept(listening, NULL, NULL);

	m->n--;
	close(fd);
	close(accepted);
}

/* The three ends of a TCP listener: accepted, its client, and a client that waits. */
struct tcp {
	int listener, accepted, client, waiting, mapped;
};

static struct tcp tcp_sockets(struct mine *m, int family)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr *sa = family == AF_INET ? (void *)&v4 : (void *)&v6;
	socklen_t len = family == AF_INET ? sizeof(v4) : sizeof(v6);
	struct tcp t = { .listener = listener(m, family, sa, len) };

	if (t.listener < 0 || getsockname(t.listener, sa, &len))
		return t;
	brief(m, t.listener, sa, len);
	t.client = client(m, family, sa, len);
	t.accepted = add(m, accept(t.listener, NULL, NULL));
	t.waiting = client(m, family, sa, len);
	t.mapped = -1;
	if (family == AF_INET) {
		v6.sin6_port = v4.sin_port;
		inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr);
		t.mapped = client(m, AF_INET6, (void *)&v6, sizeof(v6));
	}
	ok(send(t.client, "abc", 3, 0) == 3);
	return t;
}

struct local {
	int pair[2], abstract, path, waiting, dgram;
};

static struct local unix_sockets(struct mine *m, const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct local u;

	ok(!socketpair(AF_UNIX, SOCK_STREAM, 0, u.pair));
	add(m, u.pair[0]);
	add(m, u.pair[1]);
	strcpy(sun.sun_path, path);
	u.path = listener(m, AF_UNIX, (void *)&sun, sizeof(sun));
	u.waiting = client(m, AF_UNIX, (void *)&sun, sizeof(sun));
	/* An abstract name may hold NULs. */
	memset(sun.sun_path, 0, sizeof(sun.sun_path));
	strcpy(sun.sun_path + 1, m->name);
	u.abstract = listener(m, AF_UNIX, (void *)&sun,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 3 + strlen(m->name)));
	u.dgram = add(m, socket(AF_UNIX, SOCK_DGRAM, 0));
	return u;
}

static int cmp(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void compare(struct rows *diag, struct rows *net)
{
	qsort(diag->text, (size_t)diag->n, sizeof(diag->text[0]), cmp);
	qsort(net->text, (size_t)net->n, sizeof(net->text[0]), cmp);
	ok(diag->n == net->n);
	for (int i = 0; i < diag->n || i < net->n; i++)
		is(i < diag->n ? diag->text[i] : NULL, i < net->n ? net->text[i] : NULL);
}

static void check_tcp(const struct rows *rows, const struct tcp *t, int family)
{
	const struct nh_sock_row *l = row_of(rows, t->listener), *c = row_of(rows, t->client),
				 *a = row_of(rows, t->accepted), *m = row_of(rows, t->mapped);

	if (!ok(l && c && a))
		return;
	ok(l->family == family && l->state == NH_TCP_LISTEN && l->tx_queue == 0);
	ok(l->rx_queue == (m ? 2 : 1));
	ok(c->state == NH_TCP_ESTABLISHED && a->rx_queue == 3 && c->rx_queue == 0);
	ok(!memcmp(&c->local, &a->remote, sizeof(c->local)));
	ok(!memcmp(&c->remote, &a->local, sizeof(c->local)));
	/* A mapped end is listed as IPv6, its other end as IPv4: they must still mirror. */
	if (m)
		ok(m->family == NH_TCP6 && !memcmp(&m->remote, &l->local, sizeof(m->remote)));
}

static void check_unix(const struct rows *diag, const struct local *u)
{
	const struct nh_sock_row *a = row_of(diag, u->pair[0]), *l = row_of(diag, u->path),
				 *d = row_of(diag, u->dgram), *w = row_of(diag, u->waiting);

	if (!ok(a && l && d && w))
		return;
	ok(a->state == NH_TCP_ESTABLISHED && a->peer_inode == inode_of(u->pair[1]));
	ok(l->state == NH_TCP_LISTEN && l->rx_queue == 1 && l->tx_queue == 0);
	ok(d->state == NH_TCP_CLOSE && !d->path && d->peer_inode == NH_UNKNOWN);
	ok(w->state == NH_TCP_ESTABLISHED && w->peer_inode == 0);
}

static int in_time_wait(const struct rows *rows)
{
	int n = 0;

	for (int i = 0; i < rows->n; i++)
		n += rows->r[i].state == NH_TCP_TIME_WAIT && !rows->r[i].inode;
	return n;
}

static int both_sources(void)
{
	struct mine m = { .n = 0 };
	static struct rows diag, net;
	char path[64];
	int self = open("/proc/self", O_RDONLY | O_DIRECTORY), rc = 0;

	snprintf(m.name, sizeof(m.name), "ncclhang-net-%d", (int)getpid());
	snprintf(path, sizeof(path), "/tmp/%s", m.name);
	struct tcp t4 = tcp_sockets(&m, AF_INET), t6 = tcp_sockets(&m, AF_INET6);
	struct local u = unix_sockets(&m, path);

	nh_sleep_ms(100); /* a delayed acknowledgement would change tx_queue between the two */
	diag.mine = net.mine = &m;
	for (int family = NH_TCP4; family <= NH_UNIX && !rc; family++) {
		rc = nh_diag_each(family, keep, &diag);
		if (nh_net_each(self, family, keep, &net) < 0)
			printf("# no /proc table of family %d\n", family);
	}
	unlink(path);
	if (rc) {
		printf("# sock_diag: %s\n", strerror(-rc));
		return rc;
	}
	check_tcp(&diag, &t4, NH_TCP4);
	check_tcp(&net, &t4, NH_TCP4);
	if (t6.listener >= 0)
		check_tcp(&diag, &t6, NH_TCP6);
	else
		puts("# no IPv6 here");
	check_unix(&diag, &u);
	ok(in_time_wait(&diag) >= 1);
	compare(&diag, &net);
	for (int i = 0; i < m.n; i++)
		close(m.fds[i]);
	close(self);
	return 0;
}

static int stop(void *ctx, const struct nh_sock_row *row)
{
	return ++*(int *)ctx == 1 ? 42 : 0;
}

int main(void)
{
	int calls = 0;

	tcp_rows();
	unix_rows();
	big_table();
	if (both_sources())
		ok(1 && "sock_diag against /proc # SKIP sock_diag does not answer here");
	else
		ok(nh_diag_each(NH_UNIX, stop, &calls) == 42 || calls == 0);
	return done();
}
