#include "know/collective.h"

#include <string.h>
#include "base/str.h"
#include "know/cuda.h"
#include "know/teardown.h"

struct row {
	const char *name, *op;
	enum nh_coll_kind kind;
};

/* One row a line. */
/* clang-format off */

/* torch/distributed/distributed_c10d.py: names of today and of before. */
static const struct row c10d[] = {
	{ "all_reduce", "all_reduce", NH_COLL_ALL },
	{ "all_reduce_multigpu", "all_reduce", NH_COLL_ALL },
	{ "all_reduce_coalesced", "all_reduce_coalesced", NH_COLL_ALL },
	{ "broadcast", "broadcast", NH_COLL_ALL },
	{ "broadcast_multigpu", "broadcast", NH_COLL_ALL },
	{ "broadcast_object_list", "broadcast_object_list", NH_COLL_ALL },
	{ "reduce", "reduce", NH_COLL_ALL },
	{ "reduce_multigpu", "reduce", NH_COLL_ALL },
	{ "all_gather", "all_gather", NH_COLL_ALL },
	{ "all_gather_multigpu", "all_gather", NH_COLL_ALL },
	{ "all_gather_into_tensor", "all_gather_into_tensor", NH_COLL_ALL },
	{ "_all_gather_base", "all_gather_into_tensor", NH_COLL_ALL },
	{ "all_gather_coalesced", "all_gather_coalesced", NH_COLL_ALL },
	{ "all_gather_object", "all_gather_object", NH_COLL_ALL },
	{ "gather", "gather", NH_COLL_ALL },
	{ "gather_object", "gather_object", NH_COLL_ALL },
	{ "scatter", "scatter", NH_COLL_ALL },
	{ "scatter_object_list", "scatter_object_list", NH_COLL_ALL },
	{ "reduce_scatter", "reduce_scatter", NH_COLL_ALL },
	{ "reduce_scatter_multigpu", "reduce_scatter", NH_COLL_ALL },
	{ "reduce_scatter_tensor", "reduce_scatter_tensor", NH_COLL_ALL },
	{ "_reduce_scatter_base", "reduce_scatter_tensor", NH_COLL_ALL },
	{ "all_to_all", "all_to_all", NH_COLL_ALL },
	{ "all_to_all_single", "all_to_all_single", NH_COLL_ALL },
	{ "barrier", "barrier", NH_COLL_ALL },
	{ "monitored_barrier", "monitored_barrier", NH_COLL_ALL },
	{ "send", "send", NH_COLL_PAIR },
	{ "recv", "recv", NH_COLL_PAIR },
	{ "send_object_list", "send_object_list", NH_COLL_PAIR },
	{ "recv_object_list", "recv_object_list", NH_COLL_PAIR },
	{ "batch_isend_irecv", "batch_isend_irecv", NH_COLL_PAIR },
	{ "_coalescing_manager", NULL, NH_COLL_WORK },
	{ "_store_based_barrier", "the barrier over the store", NH_COLL_STORE },
	{ "init_process_group", "init_process_group", NH_COLL_STORE },
	{ "_new_process_group_helper", "the making of a process group", NH_COLL_STORE },
	{ "new_group", "new_group", NH_COLL_STORE },
	{ "_new_group_with_tag", "new_group", NH_COLL_STORE },
	{ "new_subgroups", "new_subgroups", NH_COLL_STORE },
};

/* Other files, by their path's end. */
static const struct { const char *file; struct row row; } python[] = {
	{ "torch/distributed/elastic/utils/store.py", { "barrier", "a barrier over the store", NH_COLL_STORE } },
	{ "torch/distributed/elastic/utils/store.py", { "synchronize", "a key of the store", NH_COLL_STORE } },
	{ "torch/distributed/elastic/utils/store.py", { "get_all", "a key of the store", NH_COLL_STORE } },
	{ "torch/distributed/rendezvous.py", { "_create_c10d_store", "the making of the store", NH_COLL_STORE } },
	{ "torch/distributed/rendezvous.py", { "_env_rendezvous_handler", "the rendezvous", NH_COLL_STORE } },
	{ "torch/distributed/rendezvous.py", { "_tcp_rendezvous_handler", "the rendezvous", NH_COLL_STORE } },
	{ "torch/distributed/rendezvous.py", { "_file_rendezvous_handler", "the rendezvous", NH_COLL_STORE } },
	{ "dynamic_rendezvous.py", { "next_rendezvous", "the rendezvous", NH_COLL_STORE } },
	{ "static_tcp_rendezvous.py", { "next_rendezvous", "the rendezvous", NH_COLL_STORE } },
	{ "horovod/torch/mpi_ops.py", { "synchronize", NULL, NH_COLL_WORK } },
	{ "horovod/torch/mpi_ops.py", { "allreduce", "allreduce", NH_COLL_ALL } },
	{ "horovod/torch/mpi_ops.py", { "allgather", "allgather", NH_COLL_ALL } },
	{ "horovod/torch/mpi_ops.py", { "broadcast", "broadcast", NH_COLL_ALL } },
	{ "horovod/torch/mpi_ops.py", { "alltoall", "alltoall", NH_COLL_ALL } },
	{ "horovod/torch/mpi_ops.py", { "reducescatter", "reducescatter", NH_COLL_ALL } },
	{ "horovod/torch/mpi_ops.py", { "barrier", "barrier", NH_COLL_ALL } },
	{ "horovod/torch/mpi_ops.py", { "join", "join", NH_COLL_ALL } },
	{ "torch/cuda/__init__.py", { "synchronize", NULL, NH_COLL_DEVICE } },
	{ "torch/cuda/streams.py", { "synchronize", NULL, NH_COLL_DEVICE } },
};

/* Native functions, without parameters. */
static const struct row native[] = {
	{ "c10d::TCPStore::doWait", "a key of the store", NH_COLL_STORE },
	{ "c10d::TCPStore::waitForWorkers", "all workers at the store", NH_COLL_STORE },
	{ "c10d::TCPStore::wait", "a key of the store", NH_COLL_STORE },
	{ "c10d::TCPStore::get", "a key of the store", NH_COLL_STORE },
	{ "c10d::FileStore::wait", "a key of the store", NH_COLL_STORE },
	{ "c10d::HashStore::wait", "a key of the store", NH_COLL_STORE },
	{ "c10d::tcputil::connect", "a connection to the store", NH_COLL_STORE },
	{ "c10d::detail::Socket::connect", "a connection to the store", NH_COLL_STORE },
	{ "c10d::detail::TCPClient::connect", "a connection to the store", NH_COLL_STORE },
	{ "gloo::rendezvous::Context::connectFullMesh", "the connections of a Gloo group", NH_COLL_STORE },
	{ "c10d::Work::wait", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroup::Work::wait", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupNCCL::WorkNCCL::wait", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupNCCL::WorkNCCL::synchronize", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupNCCL::WorkNCCL::synchronizeInternal", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupNCCL::WorkNCCL::synchronizeStream", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupMPI::WorkMPI::wait", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupMPI::AsyncWork::wait", NULL, NH_COLL_WORK },
	{ "c10d::ProcessGroupGloo::SendWork::wait", "send", NH_COLL_PAIR },
	{ "c10d::ProcessGroupGloo::RecvWork::wait", "recv", NH_COLL_PAIR },
	{ "c10d::ProcessGroupGloo::AsyncWork::execute", NULL, NH_COLL_SERVANT },
	{ "c10d::ProcessGroupGloo::monitoredBarrier", "monitored_barrier", NH_COLL_ALL },
	{ "gloo::barrier", "barrier", NH_COLL_ALL },
	{ "gloo::allreduce", "all_reduce", NH_COLL_ALL },
	{ "gloo::allgather", "all_gather", NH_COLL_ALL },
	{ "gloo::allgatherv", "all_gather", NH_COLL_ALL },
	{ "gloo::alltoall", "all_to_all", NH_COLL_ALL },
	{ "gloo::alltoallv", "all_to_all", NH_COLL_ALL },
	{ "gloo::broadcast", "broadcast", NH_COLL_ALL },
	{ "gloo::gather", "gather", NH_COLL_ALL },
	{ "gloo::gatherv", "gather", NH_COLL_ALL },
	{ "gloo::reduce", "reduce", NH_COLL_ALL },
	{ "gloo::scatter", "scatter", NH_COLL_ALL },
	{ "ncclAllReduce", "all_reduce", NH_COLL_ALL },
	{ "pncclAllReduce", "all_reduce", NH_COLL_ALL },
	{ "ncclBroadcast", "broadcast", NH_COLL_ALL },
	{ "pncclBroadcast", "broadcast", NH_COLL_ALL },
	{ "ncclReduce", "reduce", NH_COLL_ALL },
	{ "pncclReduce", "reduce", NH_COLL_ALL },
	{ "ncclAllGather", "all_gather", NH_COLL_ALL },
	{ "pncclAllGather", "all_gather", NH_COLL_ALL },
	{ "ncclReduceScatter", "reduce_scatter", NH_COLL_ALL },
	{ "pncclReduceScatter", "reduce_scatter", NH_COLL_ALL },
	{ "ncclSend", "send", NH_COLL_PAIR },
	{ "pncclSend", "send", NH_COLL_PAIR },
	{ "ncclRecv", "recv", NH_COLL_PAIR },
	{ "pncclRecv", "recv", NH_COLL_PAIR },
	{ "ncclGroupEnd", NULL, NH_COLL_WORK },
	{ "pncclGroupEnd", NULL, NH_COLL_WORK },
	{ "MPI_Barrier", "barrier", NH_COLL_ALL },
	{ "PMPI_Barrier", "barrier", NH_COLL_ALL },
	{ "MPI_Allreduce", "all_reduce", NH_COLL_ALL },
	{ "PMPI_Allreduce", "all_reduce", NH_COLL_ALL },
	{ "MPI_Bcast", "broadcast", NH_COLL_ALL },
	{ "PMPI_Bcast", "broadcast", NH_COLL_ALL },
	{ "MPI_Reduce", "reduce", NH_COLL_ALL },
	{ "PMPI_Reduce", "reduce", NH_COLL_ALL },
	{ "MPI_Gather", "gather", NH_COLL_ALL },
	{ "PMPI_Gather", "gather", NH_COLL_ALL },
	{ "MPI_Gatherv", "gather", NH_COLL_ALL },
	{ "PMPI_Gatherv", "gather", NH_COLL_ALL },
	{ "MPI_Allgather", "all_gather", NH_COLL_ALL },
	{ "PMPI_Allgather", "all_gather", NH_COLL_ALL },
	{ "MPI_Allgatherv", "all_gather", NH_COLL_ALL },
	{ "PMPI_Allgatherv", "all_gather", NH_COLL_ALL },
	{ "MPI_Alltoall", "all_to_all", NH_COLL_ALL },
	{ "PMPI_Alltoall", "all_to_all", NH_COLL_ALL },
	{ "MPI_Recv", "recv", NH_COLL_PAIR },
	{ "PMPI_Recv", "recv", NH_COLL_PAIR },
	{ "MPI_Send", "send", NH_COLL_PAIR },
	{ "PMPI_Send", "send", NH_COLL_PAIR },
	{ "ucc_context_create", "the making of a UCC context", NH_COLL_ALL },
};
/* clang-format on */

static const struct row *find(const struct row *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (*name == *rows[i].name && !strcmp(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static const struct row *find_python(const struct nh_frame *f)
{
	if (!f->file)
		return NULL;
	if (nh_ends_with(f->file, "torch/distributed/distributed_c10d.py"))
		return find(c10d, sizeof(c10d) / sizeof(*c10d), f->func);
	for (size_t i = 0; i < sizeof(python) / sizeof(*python); i++)
		if (nh_ends_with(f->file, python[i].file) && !strcmp(f->func, python[i].row.name))
			return &python[i].row;
	return NULL;
}

/* A template's arguments are no part of the name. */
static const struct row *find_native(const struct nh_frame *f)
{
	char base[256];

	if (f->nearest)
		return NULL;
	nh_frame_base(f, base, sizeof(base));
	base[strcspn(base, "<")] = '\0';
	return find(native, sizeof(native) / sizeof(*native), base);
}

struct nh_coll nh_coll_of(const struct nh_frame *f)
{
	const struct row *r = !f->func ? NULL : f->python ? find_python(f) : find_native(f);

	if (r)
		return (struct nh_coll){ r->kind, r->op };
	return (struct nh_coll){ nh_cuda_kind(f) == NH_CUDA_SYNC ? NH_COLL_DEVICE : NH_COLL_NONE,
		NULL };
}

bool nh_coll_is_library(const struct nh_frame *f)
{
	static const char *const parts[] = { "-packages/torch/", "-packages/horovod/",
		"/torch/distributed/", "/torch/nn/", "/torch/autograd/", "/torch/utils/",
		"/torch/cuda/", "<frozen ", "/contextlib.py" };

	for (size_t i = 0; f->file && i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(f->file, parts[i]))
			return true;
	return false;
}
