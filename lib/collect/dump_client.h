/* A client of the worker server that PyTorch runs on a unix socket (TORCH_WORKER_SERVER_SOCKET). */
#ifndef NH_COLLECT_DUMP_CLIENT_H
#define NH_COLLECT_DUMP_CLIENT_H

#include <stdint.h>
#include "base/arena.h"

/*
 * POSTs to one handler ("fr_trace_json") and takes the body of the answer.  path: of the socket;
 * until_ms: on nh_now_ms's clock.  0; -ENOENT if there is no such handler; -ETIMEDOUT, -EPROTO for
 * what is no such server, -EMSGSIZE for more than 64 MB, or another negative errno.
 */
int nh_worker_server_ask(struct nh_arena *a, const char *path, const char *handler,
	int64_t until_ms, const char **body, size_t *len);

#endif
