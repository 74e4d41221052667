/* Tables, one row a line. */
/* clang-format off */
#include "know/log_lines.h"

#include <string.h>
#include <strings.h>

#define PGNCCL "torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp"
#define ELASTIC "torch/distributed/elastic/multiprocessing"

/* The more telling first: one line may hold several of them. */
static const struct nh_log_line lines[] = {
	{ "CUDA out of memory. Tried to allocate",	NH_LOG_OOM, "1.0", "c10/cuda/CUDACachingAllocator.cpp" },
	{ "CUDA error: out of memory",			NH_LOG_OOM, NULL, "c10/cuda/CUDAException.cpp" },
	{ "CUBLAS_STATUS_ALLOC_FAILED",			NH_LOG_OOM, NULL, "aten/src/ATen/cuda/Exceptions.h" },
	{ "ChildFailedError",				NH_LOG_NOTE, "1.9", ELASTIC "/errors/__init__.py" },
	{ "SignalException: Process",			NH_LOG_CLOSING, "1.9", ELASTIC "/api.py" },
	{ "KeyboardInterrupt",				NH_LOG_CLOSING, NULL, "Python" },
	{ "is killed by signal:",			NH_LOG_WORKER, "1.0", "torch/csrc/DataLoader.cpp" },
	{ "exited unexpectedly",			NH_LOG_WORKER, "1.0", "torch/utils/data/dataloader.py" },
	{ "Unexpected bus error encountered in worker",	NH_LOG_WORKER, "1.0", "torch/csrc/DataLoader.cpp" },
	{ "received 0 items of ancdata",		NH_LOG_WORKER, NULL, "Lib/multiprocessing/reduction.py" },
	{ "are the lagging ranks that caused this timeout", NH_LOG_LAGGING, "2.6", "torch/csrc/distributed/c10d/TraceUtils.h" },
	{ "failed to pass monitoredBarrier",		NH_LOG_LAGGING, "1.8", "torch/csrc/distributed/c10d/ProcessGroupGloo.cpp" },
	{ "successfully reached monitoredBarrier, but received errors", NH_LOG_TIMEOUT, "1.8", "torch/csrc/distributed/c10d/ProcessGroupGloo.cpp" },
	{ "Watchdog caught collective operation timeout",	NH_LOG_TIMEOUT, "1.7", PGNCCL },
	{ "failure detected by watchdog at work sequence id:",	NH_LOG_TIMEOUT, "2.6", PGNCCL },
	{ "Received a dump signal due to a collective timeout from", NH_LOG_TIMEOUT, "2.2", PGNCCL },
	{ "Connection closed by peer",			NH_LOG_PEER_GONE, NULL, "gloo/transport/tcp/pair.cc" },
	{ "Connection closed by remote peer",		NH_LOG_PEER_GONE, NULL, "nccl/src/misc/socket.cc" },
	{ "Connection reset by peer",			NH_LOG_PEER_GONE, NULL, "gloo/transport/tcp/pair.cc" },
	{ "remote process exited or there was a network error", NH_LOG_PEER_GONE, "2.0", "torch/csrc/distributed/c10d/NCCLUtils.cpp" },
	{ "Broken pipe",				NH_LOG_PEER_GONE, NULL, "torch/csrc/distributed/c10d/TCPStore.cpp" },
	{ "ncclRemoteError",				NH_LOG_PEER_GONE, "2.0", "torch/csrc/distributed/c10d/NCCLUtils.cpp" },
	{ "Timed out waiting ",				NH_LOG_TIMEOUT, NULL, "gloo/transport/tcp/unbound_buffer.cc" },
	{ "DistStoreError",				NH_LOG_STORE, "2.1", "torch/csrc/distributed/c10d/exception.h" },
	{ "Socket Timeout",				NH_LOG_STORE, NULL, "torch/csrc/distributed/c10d/TCPStore.cpp" },
	{ "wait timeout after ",			NH_LOG_STORE, NULL, "torch/csrc/distributed/c10d/TCPStore.cpp" },
	{ "watchdog thread terminated with exception",	NH_LOG_WATCHDOG, "2.0", PGNCCL },
	{ "Terminating the process after attempting to dump debug info", NH_LOG_WATCHDOG, "2.2", PGNCCL },
	{ "To avoid data inconsistency, we are taking the entire process down", NH_LOG_WATCHDOG, "1.10", PGNCCL },
	{ "ncclUnhandledCudaError",			NH_LOG_CUDA, "2.0", "torch/csrc/distributed/c10d/NCCLUtils.cpp" },
	{ "CUDA error: ",				NH_LOG_CUDA, NULL, "c10/cuda/CUDAException.cpp" },
	{ "failed (exitcode: ",				NH_LOG_EXIT, "1.9", ELASTIC "/api.py" },
	{ "closing signal SIG",				NH_LOG_CLOSING, "1.9", ELASTIC "/api.py" },
	{ "Expected to have finished reduction in the prior iteration", NH_LOG_UNREDUCED, "1.1", "torch/csrc/distributed/c10d/reducer.cpp" },
	{ "NCCL error in: ",				NH_LOG_NCCL, "2.0", "torch/csrc/distributed/c10d/NCCLUtils.hpp" },
	{ "ncclSystemError",				NH_LOG_NCCL, "2.0", "torch/csrc/distributed/c10d/NCCLUtils.cpp" },
	{ "ncclInternalError",				NH_LOG_NCCL, "2.0", "torch/csrc/distributed/c10d/NCCLUtils.cpp" },
	{ " NCCL WARN ",				NH_LOG_NCCL, NULL, "nccl/src/debug.cc" },
	{ "watchdog got stuck for",			NH_LOG_NOTE, "2.2", PGNCCL },
	{ "Could not acquire GIL within",		NH_LOG_NOTE, "2.3", PGNCCL },
	{ "Observed flight recorder dump signal from another rank", NH_LOG_NOTE, "2.6", PGNCCL },
	{ "Finished writing NCCLPG debug info to",	NH_LOG_NOTE, "2.6", PGNCCL },
	{ "Finished writing Flight Recorder debug info to", NH_LOG_NOTE, "2.14", PGNCCL },
	{ "Stack trace of the failed collective not found", NH_LOG_NOTE, "2.6", PGNCCL },
};

const struct nh_log_line *nh_log_line_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (memmem(s, n, lines[i].text, strlen(lines[i].text)))
			return &lines[i];
	return NULL;
}

enum nh_log_part nh_log_part(int kind)
{
	static const unsigned char parts[] = {
		[NH_LOG_OOM] = NH_LOG_CAUSE,
		[NH_LOG_CUDA] = NH_LOG_CAUSE,
		[NH_LOG_WORKER] = NH_LOG_CAUSE,
		[NH_LOG_EXCEPTION] = NH_LOG_CAUSE,
		[NH_LOG_SIGNAL] = NH_LOG_CAUSE,
		[NH_LOG_EXIT] = NH_LOG_CAUSE,
		[NH_LOG_PEER_GONE] = NH_LOG_FOLLOWS,
		[NH_LOG_TIMEOUT] = NH_LOG_FOLLOWS,
		[NH_LOG_STORE] = NH_LOG_FOLLOWS,
		[NH_LOG_WATCHDOG] = NH_LOG_FOLLOWS,
		[NH_LOG_CLOSING] = NH_LOG_FOLLOWS,
		[NH_LOG_LAGGING] = NH_LOG_FOLLOWS,
		[NH_LOG_NCCL] = NH_LOG_TELLS,
		[NH_LOG_UNREDUCED] = NH_LOG_CAUSE,
		[NH_LOG_NOTE] = NH_LOG_TELLS,
	};

	return kind > 0 && (size_t)kind < sizeof(parts) ? parts[kind] : NH_LOG_TELLS;
}

#define AFTER(kind, mark, unit, f) { NH_LOG_##kind, mark, false, NH_LOG_##unit, offsetof(struct nh_log_event, f) }
#define BEFORE(kind, mark, unit, f) { NH_LOG_##kind, mark, true, NH_LOG_##unit, offsetof(struct nh_log_event, f) }

/* Of two rows for one field, the first that is found counts. */
const struct nh_log_number nh_log_numbers[] = {
	AFTER(OOM, "Tried to allocate ", BYTES, requested),
	AFTER(OOM, "total capacity of ", BYTES, capacity),
	BEFORE(OOM, " total capacity;", BYTES, capacity),	/* before 2.1 */
	BEFORE(OOM, " is free", BYTES, free),
	BEFORE(OOM, " free;", BYTES, free),
	BEFORE(OOM, " is allocated by PyTorch", BYTES, allocated),
	BEFORE(OOM, " already allocated;", BYTES, allocated),
	BEFORE(OOM, " is reserved by PyTorch but unallocated", BYTES, reserved),
	AFTER(OOM, "GPU ", COUNT, gpu),
	AFTER(WORKER, "DataLoader worker (pid ", COUNT, pid),
	AFTER(WORKER, "DataLoader worker (pid(s) ", COUNT, pid),
	AFTER(TIMEOUT, "SeqNum=", COUNT, seq),
	AFTER(TIMEOUT, "at work sequence id: ", COUNT, seq),
	AFTER(TIMEOUT, "OpType=", WORD, op),
	AFTER(TIMEOUT, "Timeout(ms)=", COUNT, timeout_ms),
	AFTER(TIMEOUT, "last enqueued work: ", COUNT, enqueued),
	AFTER(TIMEOUT, "Last enqueued NCCL work: ", COUNT, enqueued),
	AFTER(TIMEOUT, "last completed work: ", COUNT, completed),
	AFTER(TIMEOUT, "last completed NCCL work: ", COUNT, completed),
	AFTER(EXIT, "(exitcode: ", COUNT, exit_code),
	AFTER(EXIT, "local_rank: ", COUNT, local_rank),
	AFTER(EXIT, "(pid: ", COUNT, pid),
	AFTER(CLOSING, "Sending process ", COUNT, pid),
	AFTER(UNREDUCED, "did not receive grad for rank ", COUNT, rank),
};
const size_t nh_log_numbers_n = sizeof(nh_log_numbers) / sizeof(*nh_log_numbers);

#define M(key, f, scale) { key, offsetof(struct nh_log_step, metric.f), scale }
#define SAVE(key, f, scale) { key, offsetof(struct nh_log_step, save.f), scale }
static const struct nh_log_metric metrics[] = {
	M("rank", rank, 1),
	M("global_rank", rank, 1),
	M("step", step, 1),
	M("global_step", step, 1),
	M("iteration", step, 1),
	M("compute_us", compute_us, 1),
	M("compute_ms", compute_us, 1e3),
	M("compute_s", compute_us, 1e6),
	M("wait_us", wait_us, 1),
	M("wait_ms", wait_us, 1e3),
	M("wait_s", wait_us, 1e6),
	M("comm_ms", wait_us, 1e3),
	M("comm_s", wait_us, 1e6),
	M("peak_bytes", peak_bytes, 1),
	M("peak_mb", peak_bytes, 1 << 20),
	M("peak_mib", peak_bytes, 1 << 20),
	M("peak_gb", peak_bytes, 1 << 30),
	M("peak_gib", peak_bytes, 1 << 30),
	M("max_memory_allocated", peak_bytes, 1),
	M("total_bytes", total_bytes, 1),
	M("total_gib", total_bytes, 1 << 30),
	M("ckpt_step", checkpoint_step, 1),
	M("checkpoint_step", checkpoint_step, 1),
	M("last_checkpoint", checkpoint_step, 1),
	M("last_checkpoint_step", checkpoint_step, 1),
	SAVE("step_us", step_us, 1),
	SAVE("step_ms", step_us, 1e3),
	SAVE("step_s", step_us, 1e6),
	SAVE("ckpt_every", every, 1),
	SAVE("ckpt_interval_s", interval_us, 1e6),
	SAVE("ckpt_block_ms", block_us, 1e3),
	SAVE("ckpt_block_s", block_us, 1e6),
	SAVE("ckpt_write_ms", write_us, 1e3),
	SAVE("ckpt_write_s", write_us, 1e6),
	SAVE("mtbf_s", mtbf_us, 1e6),
	SAVE("mtbf_h", mtbf_us, 3600e6),
};

const struct nh_log_metric *nh_log_metric_of(const char *key, size_t n)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (strlen(metrics[i].key) == n && !strncasecmp(metrics[i].key, key, n))
			return &metrics[i];
	return NULL;
}
