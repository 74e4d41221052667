#include "demo.h"

#include <stddef.h>

/* In cross-rank, rank 1 forks between dialling rank 0 and creating its own communicator, so that
 * its helper holds the one and not the other: rank 1 itself comes out of its abort. */
const struct nh_demo_scene nh_demo_scenes[] = {
	{ "close", "abort closes without shutdown; a forked helper holds the socket: hangs",
		"0i0f0a", 0, true },
	{ "shutdown", "the same with shutdown before close: the abort returns", "0i0f0s", 0,
		false },
	{ "unread", "close with a byte unread: hangs too, ends by ECONNRESET", "0i0u0f0a", 0,
		true },
	{ "exec", "the helper has exec'd another program and keeps the socket: hangs", "0i0x0a", 0,
		true },
	{ "cross-rank", "the helper of another rank holds the socket: hangs", "0i1c1f1i1a0a", 0,
		true },
	{ "healthy", "a helper shares every socket, but nobody tears down: no hang", "0i0f", 'd',
		false },
	{ NULL },
};
