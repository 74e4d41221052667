#include "know/nccl_env.h"

#include <stddef.h>
#include <string.h>
#include "base/str.h"

/* One row a line. */
/* clang-format off */
const struct nh_nccl_var nh_nccl_vars[] = {
	{ "NCCL_DEBUG", 0, "nothing is logged", "what NCCL logs",
		"NCCL logs neither its version nor an abort (set it to WARN or INFO)" },
	{ "NCCL_DEBUG_SUBSYS", 0, "INIT,BOOTSTRAP,ENV", "of what it logs", NULL },
	{ "NCCL_DEBUG_FILE", 0, "standard output", "where it logs to", NULL },
	{ "NCCL_COMM_BLOCKING", 21400, "as the program says",
		"0: calls return before they are done", NULL },
	{ "NCCL_SET_THREAD_NAME", 21200, "0", "1: threads are named",
		"NCCL's threads have no names of their own" },
	{ "NCCL_PROXY_DUMP_SIGNAL", 21400, "-1", "signal on which the proxy's state is printed",
		NULL },
	{ "NCCL_RAS_ENABLE", 22400, "1", "0: no RAS thread", NULL },
	{ "NCCL_RAS_ADDR", 22400, "localhost:28028", "where RAS listens for queries", NULL },
	{ "NCCL_RAS_TIMEOUT_FACTOR", 22400, "1", "multiplies the timeouts of RAS", NULL },
	{ "NCCL_SOCKET_IFNAME", 0, "chosen by NCCL", "interfaces of bootstrap, proxy and sockets",
		NULL },
	{ "NCCL_SOCKET_FAMILY", 0, "either", "AF_INET or AF_INET6 of those", NULL },
	{ "NCCL_COMM_ID", 0, "chosen by rank 0", "address of the bootstrap root", NULL },
	{ "NCCL_SOCKET_RETRY_CNT", 22400, "34", "how often a connection is tried", NULL },
	{ "NCCL_SOCKET_RETRY_SLEEP_MSEC", 22400, "100", "pause between those tries", NULL },
	{ "NCCL_SOCKET_POLL_TIMEOUT_MSEC", 22900, "0", "waits for sockets instead of spinning",
		NULL },
	{ "NCCL_OOB_NET_ENABLE", 22300, "0", "1: bootstrap goes over the network plugin", NULL },
	{ "NCCL_IB_TIMEOUT", 0, "20 (18 from 2.14, 14 before)",
		"InfiniBand timeout, 4.096 us * 2^n", NULL },
	{ "NCCL_IB_RETRY_CNT", 0, "7", "InfiniBand retries", NULL },
	{ "NCCL_IB_RETURN_ASYNC_EVENTS", 22300, "1",
		"0: fatal InfiniBand events are not returned as errors", NULL },
	{ "NCCL_CUMEM_ENABLE", 21800, "by driver", "memory through cuMem", NULL },
	{ "NCCL_CUMEM_HOST_ENABLE", 22300, "by driver (0 in 2.23)",
		"host memory through cuMem: lets the service thread close peers itself on abort",
		NULL },
	{ "NCCL_RUNTIME_CONNECT", 22200, "1", "connects at the first collective", NULL },
	{ "NCCL_COMM_SPLIT_SHARE_RESOURCES", 21800, "as the program says",
		"split communicators share one proxy: it ends with the last of them", NULL },
	{ "NCCL_COMM_SHRINK_SHARE_RESOURCES", 22700, "as the program says",
		"the same for shrunk ones", NULL },
	{ "NCCL_LAUNCH_ORDER_IMPLICIT", 22600, "0", "1: orders launches of several communicators",
		NULL },
	{ "NCCL_LAUNCH_RACE_FATAL", 22600, "1", "racing launches are an error", NULL },
	{ "NCCL_NET", 0, "chosen by NCCL", "network transport", NULL },
	{ "NCCL_NET_PLUGIN", 21200, "libnccl-net.so", "network plugin", NULL },
	{ "NCCL_PXN_DISABLE", 21200, "0",
		"0: proxies of other ranks are used, so ranks hold connections to each other's",
		NULL },
	{ "NCCL_NVLS_ENABLE", 21700, "by hardware",
		"NVLink SHARP: connections between ranks' proxies", NULL },
	{ "NCCL_CONF_FILE", 22300, "~/.nccl.conf, /etc/nccl.conf",
		"settings that are not in the environment", NULL },
	{ "NCCL_ENV_PLUGIN", 22900, "none", "a plugin that answers for the environment", NULL },
	{ "NCCL_ASYNC_ERROR_HANDLING", 0, "3",
		"old name of TORCH_NCCL_ASYNC_ERROR_HANDLING; NCCL does not read it", NULL },
	{ "TORCH_NCCL_ASYNC_ERROR_HANDLING", 0, "3",
		"0: an error or a timeout does not end the process", NULL },
	{ "TORCH_NCCL_BLOCKING_WAIT", 0, "0", "1: wait() blocks and times out", NULL },
	{ "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", 0, "480", "after it the monitor ends a stuck process",
		NULL },
	{ "TORCH_NCCL_ENABLE_MONITORING", 0, "1", "0: no monitor thread", NULL },
	{ "TORCH_NCCL_ABORT_IN_DESTROY_PG", 0, "0", "1: destroy_process_group aborts", NULL },
	{ "TORCH_NCCL_TRACE_BUFFER_SIZE", 0, "0; 2000 in newer PyTorch",
		"entries of the flight recorder",
		"whether the flight recorder is on is up to the version of PyTorch" },
	{ "TORCH_NCCL_DUMP_ON_TIMEOUT", 0, "by version", "writes the flight recorder on a timeout",
		NULL },
	{ "TORCH_NCCL_ENABLE_TIMING", 0, "0", "1: the flight recorder tells started from scheduled",
		NULL },
	{ "CUDA_LAUNCH_BLOCKING", 0, "0",
		"1: every launch waits for its kernel, so collectives of one thread can block each other",
		NULL },
	{ "CUDA_VISIBLE_DEVICES", 0, "all", "GPUs of the process", NULL },
	{ NULL, 0, NULL, NULL, NULL },
};
/* clang-format on */

const struct nh_nccl_var *nh_nccl_var(const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (const struct nh_nccl_var *v = nh_nccl_vars; v->name; v++)
		if (strlen(v->name) == n && !memcmp(v->name, entry, n))
			return v;
	return NULL;
}

bool nh_nccl_var_shown(const char *entry)
{
	return nh_starts_with(entry, "NCCL_") || nh_nccl_var(entry);
}
