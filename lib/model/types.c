/* Tables, one row a line. */
/* clang-format off */
#include "model/case.h"
#include "model/types.h"

static const char *const why_names[] = { "", "target", "found", "descendant", "holder", "ancestor",
	NULL };
static const char *const fd_kind_names[] = { "", "socket", "pipe", "file", "anon", "other",
	"closed", "opening", NULL };
static const char *const nccl_from_names[] = { "", "ncclGetVersion", "version string", "file name",
	NULL };
static const char *const yes_no_names[] = { "", "no", "yes", NULL };
static const char *const family_names[] = { "", "tcp", "tcp6", "unix", NULL };
const char *const nh_tcp_state_names[] = { "", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1",
	"FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING",
	"NEW_SYN_RECV", NULL };
const char *const nh_status_names[] = { "", "nothing-to-inspect", "no-hang", "inconclusive",
	"problem", "hang", NULL };
const char *const nh_confidence_names[] = { "", "possible", "likely", "confirmed", NULL };

#define S nh_pollfd
TYPE(nh_pollfd_type, "wait",
	F(INT, slot),
	F(INT, fd),
	F(INT, events));
#undef S

#define S nh_process
TYPE(nh_process_type, "process",
	F(INT, sample),
	F(INT, pid),
	F(INT, start),
	F(INT, ppid),
	F(INT, pgrp),
	F(INT, session),
	F(INT, uid),
	F(INT, tracer),
	F(INT, nthreads),
	F(INT, nfds),
	F(INT, bits),
	F(INT, flags),
	F(HEX, caught),
	F(INT, ns_pid),
	F(INT, ns_net),
	F(INT, ns_mnt),
	F(INTS, nspid),
	F(INT, exit_code),
	E(why, why_names),
	F(BOOL, killed),
	F(BOOL, kthread),
	F(BOOL, exe_deleted),
	F(BOOL, cmdline_cut),
	F(STR, state),
	F(STR, comm),
	P(STR, cmdline, COMMAND),
	P(STR, exe, PATH),
	P(STR, cgroup, PATH),
	P(STR, cgroup_freezer, PATH),
	P(STR, cgroup_memory, PATH),
	P(STRS, env, ENV));
#undef S

#define S nh_thread
TYPE(nh_thread_type, "thread",
	F(INT, sample),
	F(INT, pid),
	F(INT, tid),
	F(INT, nstid),
	F(INT, start),
	F(INT, nr),
	F(INT, utime),
	F(INT, stime),
	F(INT, vcsw),
	F(INT, nvcsw),
	F(HEX, sp),
	F(HEX, pc),
	F(INT, futex_word),
	F(INT, timeout_ms),
	F(BOOL, running),
	F(BOOL, own_fds),
	F(INT, stack),
	F(BOOL, stopped),
	F(STR, no_stack),
	F(STR, state),
	F(STR, comm),
	F(STR, wchan),
	F(STRS, kernel),
	P(STR, path, PATH),
	F(STR, fstype),
	P(STR, mount, PATH),
	P(STR, source, SECRET),
	F(HEXES, args),
	F(INTS, mutex),
	F(INTS, rwlock),
	R(ROWS, waits, nh_pollfd_type));
#undef S

#define S nh_frame
static TYPE(frame_type, "frame",
	F(STR, func),
	F(HEX, into),
	F(STR, module),
	F(STR, build_id),
	F(HEX, offset),
	F(BOOL, inlined),
	F(BOOL, nearest),
	F(BOOL, signal),
	F(BOOL, guessed),
	F(BOOL, generated),
	F(BOOL, python),
	P(STR, file, PATH),
	F(INT, line));
#undef S

#define S nh_stack
TYPE(nh_stack_type, "stack",
	F(INT, stack),
	F(BOOL, complete),
	F(STR, why),
	F(STR, python),
	R(ROWS, frames, frame_type));
#undef S

#define S nh_interpreter
TYPE(nh_interpreter_type, "interpreter",
	F(INT, sample),
	F(INT, pid),
	F(INT, id),
	F(STR, version),
	F(BOOL, locked),
	F(INT, holder),
	F(INT, switches),
	F(INTS, waiters),
	F(INTS, threads),
	F(BOOL, finalizing),
	F(STR, note));
#undef S

#define S nh_fd
TYPE(nh_fd_type, "fd",
	F(INT, sample),
	F(INT, pid),
	F(INT, tid),
	F(INT, fd),
	E(kind, fd_kind_names),
	F(INT, inode),
	F(INT, dev),
	F(INT, flags),
	F(INT, id),
	F(INT, count),
	F(INT, timer_ms),
	F(INT, scm_fds),
	F(STR, mode),
	P(STR, path, PATH),
	F(STR, fstype),
	P(STR, mount, PATH),
	P(STR, source, SECRET));
#undef S

#define S nh_module
TYPE(nh_module_type, "module",
	F(INT, pid),
	F(INT, inode),
	F(HEX, base),
	F(HEX, end),
	F(BOOL, deleted),
	P(STR, path, PATH),
	F(STR, build_id),
	F(STR, nccl),
	F(STR, nccl_cuda),
	E(nccl_from, nccl_from_names),
	E(imports_shutdown, yes_no_names));
#undef S

#define S nh_ras
TYPE(nh_ras_type, "ras",
	P(STR, address, ADDRESS),
	F(INT, line),
	P(STR, text, PROSE),
	P(STR, node, ADDRESS));
#undef S

#define S nh_socket
TYPE(nh_socket_type, "socket",
	F(INT, sample),
	F(INT, netns),
	E(family, family_names),
	E(state, nh_tcp_state_names),
	F(INT, inode),
	F(INT, rx_queue),
	F(INT, tx_queue),
	F(INT, peer_inode),
	P(STR, local, ADDRESS),
	P(STR, remote, ADDRESS));
#undef S

#define S nh_sample
TYPE(nh_sample_type, "sample",
	F(INT, sample),
	F(INT, at_ms),
	F(INT, walked),
	F(INT, unreadable),
	F(INT, fds),
	F(BOOL, complete),
	F(BOOL, suspects_only),
	F(INTS, inodes));
#undef S

#define S nh_actor
static TYPE(actor_type, "actor",
	P(STR, host, SECRET),
	F(INT, pid),
	F(INT, start),
	F(INT, tid),
	F(INT, rank),
	F(INT, fd),
	F(STR, comm));
#undef S
#define S nh_link
static TYPE(link_type, "link",
	P(STR, from, PROSE),
	P(STR, to, PROSE),
	F(STR, edge),
	P(STR, fact, PROSE),
	F(BOOL, inferred));
#undef S
#define S nh_gate
static TYPE(gate_type, "gate",
	F(STR, gate),
	F(STR, state),
	P(STR, fact, PROSE));
#undef S
#define S nh_remedy
static TYPE(remedy_type, "remedy",
	P(STR, what, PROSE),
	P(STR, command, PROSE));
#undef S

#define S nh_finding
TYPE(nh_finding_type, "finding",
	F(STR, id),
	E(confidence, nh_confidence_names),
	P(STR, title, PROSE),
	F(STR, because),
	R(ROW, culprit, actor_type),
	R(ROWS, victims, actor_type),
	F(INT, victims_total),
	R(ROWS, chain, link_type),
	R(ROWS, gates, gate_type),
	P(STRS, evidence, PROSE),
	P(STRS, refutes, PROSE),
	P(STRS, unknown, PROSE),
	R(ROWS, remedy, remedy_type));
#undef S

#define S nh_ruled_out
static TYPE(ruled_out_type, "ruled_out",
	F(STR, id),
	P(STR, why, PROSE));
#undef S

#define S nh_verdict
TYPE(nh_verdict_type, "verdict",
	E(status, nh_status_names),
	R(ROWS, findings, nh_finding_type),
	R(ROWS, ruled_out, ruled_out_type));
#undef S

#define S nh_gap
TYPE(nh_gap_type, "gap",
	P(STR, subject, PROSE),
	F(STR, what),
	P(STR, why, PROSE),
	P(STR, grant, PROSE),
	F(BOOL, needed),
	F(BOOL, minor));
#undef S

#define S nh_case
TYPE(nh_case_header_type, "header",
	F(INT, schema),
	F(STR, tool),
	P(STR, host, SECRET),
	P(STR, boot_id, SECRET),
	F(STR, kernel),
	F(STR, machine),
	F(STR, taken),
	F(INT, duration_ms),
	F(INT, boot_ms),
	F(INT, uptime_ms),
	F(INT, ticks_per_s),
	F(INTS, asked),
	F(INT, unexamined),
	F(BOOL, selected),
	R(ROWS, gaps, nh_gap_type));
#undef S

#define S nh_case
TYPE(nh_case_tables_type, "tables",
	R(ROWS, samples, nh_sample_type),
	R(ROWS, processes, nh_process_type),
	R(ROWS, threads, nh_thread_type),
	R(ROWS, fds, nh_fd_type),
	R(ROWS, sockets, nh_socket_type),
	R(ROWS, file_locks, nh_file_lock_type),
	R(ROWS, lock_files, nh_lock_file_type),
	R(ROWS, shared_maps, nh_shared_map_type),
	R(ROWS, modules, nh_module_type),
	R(ROWS, stacks, nh_stack_type),
	R(ROWS, interpreters, nh_interpreter_type),
	R(ROWS, cgroups, nh_cgroup_type),
	R(ROWS, kernel_events, nh_kernel_event_type),
	R(ROWS, ras, nh_ras_type),
	R(ROWS, gpus, nh_gpu_type),
	R(ROWS, rank_groups, nh_rank_group_type),
	R(ROWS, collectives, nh_collective_type),
	R(ROWS, step_waits, nh_step_wait_type),
	R(ROWS, log_files, nh_log_file_type),
	R(ROWS, log_events, nh_log_event_type),
	R(ROWS, checkpoints, nh_checkpoint_type),
	R(ROWS, rank_metrics, nh_rank_metric_type),
	R(ROWS, save_costs, nh_save_cost_type),
	R(ROWS, checks, nh_check_type));
#undef S
