/* The parsers of procfs and of nvidia-smi.  The first byte chooses the parser, the rest is the
 * file. */
#include "replay.h"
#include "collect/gpu_smi.h"
#include "proc/mem.h"
#include "proc/parse.h"
#include "model/lock.h"
#include "model/socket.h"

#include <stdlib.h>
#include <string.h>

/* Reads what a parser points to, so that a sanitizer sees a bad pointer. */
static void touch(const char *p, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (unsigned char)p[i];
	__asm__ volatile("" : : "r"(sum));
}

static void stat_file(const char *buf, size_t len)
{
	struct nh_stat st;

	if (!nh_parse_stat(buf, len, &st) && strlen(st.comm) > st.comm_len)
		abort();
}

static void status_file(const char *buf, size_t len)
{
	struct nh_status_file st;

	if (!nh_parse_status(buf, len, &st) && st.nnspid > NH_NS_DEPTH)
		abort();
}

static void syscall_file(const char *buf, size_t len)
{
	struct nh_syscall sc;

	nh_parse_syscall(buf, len, &sc);
}

static void maps_file(const char *buf, size_t len)
{
	struct nh_map m;

	for (size_t pos = 0; nh_parse_map(buf, len, &pos, &m) == 1;)
		touch(m.path, m.path_len);
}

static void mount_file(const char *buf, size_t len)
{
	struct nh_mountinfo m;

	for (size_t pos = 0; nh_parse_mount(buf, len, &pos, &m) == 1;) {
		char *point = strndup(m.point.s, m.point.n);

		if (!point || nh_unescape_octal(point, strlen(point)) > m.point.n)
			abort();
		free(point);
		touch(m.fstype.s, m.fstype.n);
		touch(m.source.s, m.source.n);
	}
}

static void stack_file(const char *buf, size_t len)
{
	struct nh_text f;

	for (size_t pos = 0; nh_parse_kernel_frame(buf, len, &pos, &f) == 1;)
		touch(f.s, f.n);
}

static void cgroup_file(const char *buf, size_t len)
{
	struct nh_text path;

	if (nh_parse_cgroup(buf, len, "memory", &path))
		touch(path.s, path.n);
	nh_parse_key_value(buf, len, "oom_kill");
	nh_parse_key_value(buf, len, NULL);
}

static void fd_link(const char *buf, size_t len)
{
	int64_t inode;

	nh_parse_fd_link(buf, len, &inode);
}

static void fdinfo_file(const char *buf, size_t len)
{
	struct nh_fdinfo info;
	int64_t fd;
	uint64_t events;

	nh_parse_fdinfo(buf, len, &info);
	for (size_t pos = 0; nh_parse_fdinfo_epoll(buf, len, &pos, &fd, &events) == 1;)
		;
}

static void table(int family, const char *buf, size_t len)
{
	char text[NH_ADDR_TEXT];
	struct nh_sock_row row;

	for (size_t pos = 0; nh_parse_sock_row(family, buf, len, &pos, &row) == 1;) {
		if (row.state < NH_TCP_ESTABLISHED || row.state > NH_TCP_NEW_SYN_RECV)
			abort();
		touch(row.path, row.path_len);
		nh_addr_text(&row.local, text);
		nh_addr_text(&row.remote, text);
	}
}

static void tcp_file(const char *buf, size_t len)
{
	table(NH_TCP4, buf, len);
}

static void tcp6_file(const char *buf, size_t len)
{
	table(NH_TCP6, buf, len);
}

static void unix_file(const char *buf, size_t len)
{
	table(NH_UNIX, buf, len);
}

static void memory_file(const char *buf, size_t len)
{
	char dst[16];

	nh_parse_memory(buf, len, 0x1004, dst, sizeof(dst));
	nh_parse_memory(buf, len, UINT64_MAX, dst, 1);
}

/* All three queries take it, the first one giving the others what they refer to. */
static void smi_answer(const char *buf, size_t len)
{
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };

	for (size_t i = 0; i < nh_smi_nqueries; i++) {
		nh_smi_names names = { 0 };

		nh_smi_refused(&nh_smi_queries[i], names, buf, len);
		nh_smi_parse(&nh_smi_queries[i], names, buf, len, &c);
	}
	nh_arena_free(&a);
}

static void locks_file(const char *buf, size_t len)
{
	struct nh_lock_row row;

	for (size_t pos = 0; nh_parse_lock(buf, len, &pos, &row) == 1;)
		if (row.kind < NH_LOCK_FLOCK || row.kind > NH_LOCK_OTHER)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		char key;
		void (*parse)(const char *buf, size_t len);
	} parsers[] = {
		{ 's', stat_file },
		{ 't', status_file },
		{ 'c', syscall_file },
		{ 'm', maps_file },
		{ 'o', mount_file },
		{ 'k', stack_file },
		{ 'g', cgroup_file },
		{ 'l', fd_link },
		{ 'i', fdinfo_file },
		{ '4', tcp_file },
		{ '6', tcp6_file },
		{ 'u', unix_file },
		{ 'M', memory_file },
		{ 'g', smi_answer },
		{ 'L', locks_file },
	};

	for (size_t i = 0; size && i < sizeof(parsers) / sizeof(*parsers); i++)
		if (parsers[i].key == (char)data[0])
			parsers[i].parse((const char *)data + 1, size - 1);
	return 0;
}
