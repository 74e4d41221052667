#include "know/awaits.h"

#include "know/cuda.h"
#include "know/names.h"
#include "know/thread_roles.h"

enum { GPU };

/* The more telling first where several are on one stack. */
/* clang-format off */
static const struct nh_await rows[] = {
	[GPU] = { NULL, "the GPU", true }, /* by know/cuda.c */
	{ "c10d::TCPStore::doWait|c10d::TCPStore::wait|c10d::PrefixStore::wait|c10d::FileStore::get|c10d::FileStore::wait|c10d::HashStore::wait",
		"a key of the store", true },
	{ "gloo::transport::tcp::UnboundBuffer::waitRecv|gloo::transport::tcp::UnboundBuffer::waitSend|gloo::transport::uv::UnboundBuffer::waitRecv|gloo::transport::uv::UnboundBuffer::waitSend",
		"a Gloo peer", false },
	{ "c10d::Work::wait|c10d::ProcessGroupNCCL::WorkNCCL::wait|c10d::ProcessGroupNCCL::WorkNCCL::synchronize|c10d::ProcessGroupNCCL::WorkNCCL::synchronizeInternal|c10d::ProcessGroupGloo::SendWork::wait|c10d::ProcessGroupGloo::RecvWork::wait",
		"a collective", true },
	{ "_shutdown_workers@torch/utils/data/dataloader.py", "its DataLoader workers to end", false },
	{ "_try_get_data@torch/utils/data/dataloader.py", "its DataLoader workers", false },
	{ "_exit_barrier@elastic/agent/server/api.py|next_rendezvous@elastic/rendezvous/dynamic_rendezvous.py|next_rendezvous@elastic/rendezvous/static_tcp_rendezvous.py|next_rendezvous@elastic/rendezvous/etcd_rendezvous.py",
		"the other agents", false },
	{ "_python_exit@concurrent/futures/thread.py|_python_exit@concurrent/futures/process.py|shutdown@concurrent/futures/thread.py|shutdown@concurrent/futures/process.py",
		"its pool to end", false },
	{ "_shutdown@threading.py", "its non-daemon threads to end", false },
	{ "_exit_function@multiprocessing/util.py", "its children to end", false },
	{ "join@multiprocessing/pool.py|_terminate_pool@multiprocessing/pool.py", "its pool to end", false },
	{ "join@multiprocessing/process.py", "a child to end", false },
	{ "join@threading.py", "a thread to end", false },
	{ "communicate@subprocess.py|wait@subprocess.py", "a program that it started", false },
	{ "get@multiprocessing/pool.py|next@multiprocessing/pool.py", "its pool", false },
	{ "result@concurrent/futures/_base.py|wait@concurrent/futures/_base.py|as_completed@concurrent/futures/_base.py",
		"a future", false },
};
/* clang-format on */

const struct nh_await *nh_await_of(const struct nh_stack *s)
{
	size_t own = nh_own_frames(s), best = sizeof(rows) / sizeof(*rows);
	struct nh_names names = { 0 };

	for (size_t r = 0; r < best; r++)
		nh_names_add(&names, rows[r].frame);
	for (size_t i = 0; i < own; i++) {
		const struct nh_frame *f = &s->frames.v[i];
		char buf[256];
		const char *name = nh_frame_name(f, buf, sizeof(buf));
		size_t r = 0;

		if (nh_cuda_kind(f) == NH_CUDA_SYNC)
			return &rows[GPU];
		if (!nh_names_may_have(&names, name))
			continue;
		while (r < best && !nh_frame_is_named(f, name, rows[r].frame))
			r++;
		best = r;
	}
	return best < sizeof(rows) / sizeof(*rows) ? &rows[best] : NULL;
}
