#include "model/case.h"

#define F(s, kind, f)                                                                              \
	{                                                                                          \
#f, NH_F_##kind, offsetof(struct s, f), NULL, NULL, NH_P_OPEN                      \
	}
#define P(s, kind, f, p)                                                                           \
	{                                                                                          \
#f, NH_F_##kind, offsetof(struct s, f), NULL, NULL, NH_P_##p                       \
	}
#define R(s, kind, f, t)                                                                           \
	{                                                                                          \
#f, NH_F_##kind, offsetof(struct s, f), &(t), NULL, NH_P_OPEN                      \
	}
#define E(s, f, n)                                                                                 \
	{                                                                                          \
#f, NH_F_ENUM, offsetof(struct s, f), NULL, (n), NH_P_OPEN                         \
	}
#define TYPE(t, s, n, ...)                                                                         \
	const struct nh_type t = { (n), sizeof(struct s),                                          \
		(const struct nh_field[]){ __VA_ARGS__, { 0 } } }

static const char *const why_names[] = { "", "target", "found", "descendant", "holder", "ancestor",
	NULL };
static const char *const fd_kind_names[] = { "", "socket", "pipe", "file", "anon", "other",
	"closed", NULL };
static const char *const family_names[] = { "", "tcp", "tcp6", "unix", NULL };
const char *const nh_tcp_state_names[] = { "", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1",
	"FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING",
	"NEW_SYN_RECV", NULL };
const char *const nh_status_names[] = { "", "nothing-to-inspect", "no-hang", "inconclusive",
	"problem", "hang", NULL };
const char *const nh_confidence_names[] = { "", "possible", "likely", "confirmed", NULL };

TYPE(nh_pollfd_type, nh_pollfd, "wait", F(nh_pollfd, INT, slot), F(nh_pollfd, INT, fd),
	F(nh_pollfd, INT, events));

TYPE(nh_process_type, nh_process, "process", F(nh_process, INT, sample), F(nh_process, INT, pid),
	F(nh_process, INT, start), F(nh_process, INT, ppid), F(nh_process, INT, pgrp),
	F(nh_process, INT, session), F(nh_process, INT, uid), F(nh_process, INT, tracer),
	F(nh_process, INT, nthreads), F(nh_process, INT, nfds), F(nh_process, INT, bits),
	F(nh_process, INT, flags), F(nh_process, INT, ns_pid), F(nh_process, INT, ns_net),
	F(nh_process, INT, ns_mnt), F(nh_process, INTS, nspid), E(nh_process, why, why_names),
	F(nh_process, BOOL, kthread), F(nh_process, BOOL, exe_deleted),
	F(nh_process, BOOL, cmdline_cut), F(nh_process, STR, state), F(nh_process, STR, comm),
	P(nh_process, STR, cmdline, COMMAND), P(nh_process, STR, exe, PATH),
	P(nh_process, STR, cgroup, PATH), P(nh_process, STRS, env, ENV));

TYPE(nh_thread_type, nh_thread, "thread", F(nh_thread, INT, sample), F(nh_thread, INT, pid),
	F(nh_thread, INT, tid), F(nh_thread, INT, nstid), F(nh_thread, INT, start),
	F(nh_thread, INT, nr), F(nh_thread, INT, utime), F(nh_thread, INT, stime),
	F(nh_thread, INT, vcsw), F(nh_thread, INT, nvcsw), F(nh_thread, HEX, sp),
	F(nh_thread, HEX, pc), F(nh_thread, INT, futex_word), F(nh_thread, INT, timeout_ms),
	F(nh_thread, BOOL, running), F(nh_thread, BOOL, own_fds), F(nh_thread, STR, state),
	F(nh_thread, STR, comm), F(nh_thread, STR, wchan), F(nh_thread, HEXES, args),
	R(nh_thread, ROWS, waits, nh_pollfd_type));

TYPE(nh_fd_type, nh_fd, "fd", F(nh_fd, INT, sample), F(nh_fd, INT, pid), F(nh_fd, INT, tid),
	F(nh_fd, INT, fd), E(nh_fd, kind, fd_kind_names), F(nh_fd, INT, inode),
	F(nh_fd, INT, scm_fds), F(nh_fd, STR, mode), P(nh_fd, STR, path, PATH));

TYPE(nh_module_type, nh_module, "module", F(nh_module, INT, pid), F(nh_module, INT, inode),
	F(nh_module, HEX, base), F(nh_module, HEX, end), F(nh_module, BOOL, deleted),
	P(nh_module, STR, path, PATH), F(nh_module, STR, build_id));

TYPE(nh_socket_type, nh_socket, "socket", F(nh_socket, INT, sample), F(nh_socket, INT, netns),
	E(nh_socket, family, family_names), E(nh_socket, state, nh_tcp_state_names),
	F(nh_socket, INT, inode), F(nh_socket, INT, rx_queue), F(nh_socket, INT, tx_queue),
	F(nh_socket, INT, peer_inode), P(nh_socket, STR, local, ADDRESS),
	P(nh_socket, STR, remote, ADDRESS));

TYPE(nh_sample_type, nh_sample, "sample", F(nh_sample, INT, sample), F(nh_sample, INT, at_ms),
	F(nh_sample, INT, walked), F(nh_sample, INT, unreadable), F(nh_sample, INT, fds),
	F(nh_sample, BOOL, complete), F(nh_sample, INTS, inodes));

static TYPE(actor_type, nh_actor, "actor", P(nh_actor, STR, host, SECRET), F(nh_actor, INT, pid),
	F(nh_actor, INT, start), F(nh_actor, INT, tid), F(nh_actor, INT, rank),
	F(nh_actor, INT, fd), F(nh_actor, STR, comm));
static TYPE(link_type, nh_link, "link", P(nh_link, STR, from, PROSE), P(nh_link, STR, to, PROSE),
	F(nh_link, STR, edge), P(nh_link, STR, fact, PROSE), F(nh_link, BOOL, inferred));
static TYPE(gate_type, nh_gate, "gate", F(nh_gate, STR, gate), F(nh_gate, STR, state),
	P(nh_gate, STR, fact, PROSE));
static TYPE(remedy_type, nh_remedy, "remedy", P(nh_remedy, STR, what, PROSE),
	P(nh_remedy, STR, command, PROSE));

TYPE(nh_finding_type, nh_finding, "finding", F(nh_finding, STR, id),
	E(nh_finding, confidence, nh_confidence_names), P(nh_finding, STR, title, PROSE),
	R(nh_finding, ROW, culprit, actor_type), R(nh_finding, ROWS, victims, actor_type),
	F(nh_finding, INT, victims_total), R(nh_finding, ROWS, chain, link_type),
	R(nh_finding, ROWS, gates, gate_type), P(nh_finding, STRS, evidence, PROSE),
	P(nh_finding, STRS, refutes, PROSE), P(nh_finding, STRS, unknown, PROSE),
	R(nh_finding, ROWS, remedy, remedy_type));

static TYPE(ruled_out_type, nh_ruled_out, "ruled_out", F(nh_ruled_out, STR, id),
	P(nh_ruled_out, STR, why, PROSE));

TYPE(nh_verdict_type, nh_verdict, "verdict", E(nh_verdict, status, nh_status_names),
	R(nh_verdict, ROWS, findings, nh_finding_type),
	R(nh_verdict, ROWS, ruled_out, ruled_out_type));

TYPE(nh_gap_type, nh_gap, "gap", P(nh_gap, STR, subject, PROSE), F(nh_gap, STR, what),
	P(nh_gap, STR, why, PROSE), P(nh_gap, STR, grant, PROSE), F(nh_gap, BOOL, needed));

TYPE(nh_case_header_type, nh_case, "header", F(nh_case, INT, schema), F(nh_case, STR, tool),
	P(nh_case, STR, host, SECRET), P(nh_case, STR, boot_id, SECRET), F(nh_case, STR, kernel),
	F(nh_case, STR, machine), F(nh_case, STR, taken), F(nh_case, INT, duration_ms),
	F(nh_case, INT, boot_ms), F(nh_case, INT, ticks_per_s), F(nh_case, INTS, asked),
	F(nh_case, INT, unexamined), F(nh_case, BOOL, selected),
	R(nh_case, ROWS, gaps, nh_gap_type));

TYPE(nh_case_tables_type, nh_case, "tables", R(nh_case, ROWS, samples, nh_sample_type),
	R(nh_case, ROWS, processes, nh_process_type), R(nh_case, ROWS, threads, nh_thread_type),
	R(nh_case, ROWS, fds, nh_fd_type), R(nh_case, ROWS, sockets, nh_socket_type),
	R(nh_case, ROWS, modules, nh_module_type));
