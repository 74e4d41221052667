#include "know/remote.h"

#include <string.h>
#include "know/collective.h"
#include "know/teardown.h"

/* What know/collective.c does not have, as no operation is told by it: Gloo, MPI 1 … 4, Horovod
 * 0.19 … 0.28, NCCL 2.x; a trailing * = any rest. */
static const char *const functions[] = {
	"gloo::transport::tcp::Buffer::wait*",
	"gloo::transport::tcp::UnboundBuffer::wait*",
	"gloo::transport::uv::Buffer::wait*",
	"gloo::transport::uv::UnboundBuffer::wait*",
	"gloo::rendezvous::*",
	"MPI_Wait*",
	"MPI_Reduce*",
	"MPI_Alltoall*",
	"horovod::torch::WaitAndClear",
	"c10d::ProcessGroupGloo::AsyncWork::wait*",
	"ncclCommInitRank*",
	"ncclCommInitAll",
	"ncclCommSplit",
};

bool nh_waits_for_rank(const struct nh_frame *f)
{
	char name[256];
	const char *base = name;

	if (!f->func || f->nearest || f->python)
		return false;
	if (nh_coll_of(f).kind >= NH_COLL_WORK)
		return true;
	nh_frame_base(f, name, sizeof(name));
	/* The profiling name of the same function. */
	if (!strncmp(name, "PMPI_", 5) || !strncmp(name, "pnccl", 5))
		base++;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		size_t n = strlen(functions[i]);

		if (functions[i][n - 1] == '*' ? !strncmp(base, functions[i], n - 1)
					       : !strcmp(base, functions[i]))
			return true;
	}
	return false;
}
