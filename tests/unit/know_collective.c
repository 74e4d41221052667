/* What a frame says of the collective it is in. */
#include "tap.h"

#include "know/collective.h"

#define DISTRIBUTED "/usr/lib/python3/dist-packages/torch/distributed/"

static struct nh_coll python(const char *file, const char *func)
{
	return nh_coll_of(&(struct nh_frame){ .python = true, .file = file, .func = func });
}

static struct nh_coll native(const char *func)
{
	return nh_coll_of(&(struct nh_frame){ .func = func, .module = "libtorch_cpu.so" });
}

static bool means(struct nh_coll c, enum nh_coll_kind kind, const char *op)
{
	return c.kind == kind && (op ? c.op && !strcmp(c.op, op) : !c.op);
}

static bool library(const char *file)
{
	return nh_coll_is_library(&(struct nh_frame){ .python = true, .file = file, .func = "f" });
}

int main(void)
{
	const char *c10d = DISTRIBUTED "distributed_c10d.py";

	ok(means(python(c10d, "all_reduce"), NH_COLL_ALL, "all_reduce"));
	ok(means(python(c10d, "_all_gather_base"), NH_COLL_ALL, "all_gather_into_tensor"));
	ok(means(python(c10d, "recv"), NH_COLL_PAIR, "recv"));
	ok(means(
		python(c10d, "_store_based_barrier"), NH_COLL_STORE, "the barrier over the store"));
	ok(means(python("/job/train.py", "all_reduce"), NH_COLL_NONE, NULL));
	ok(means(python(DISTRIBUTED "elastic/utils/store.py", "barrier"), NH_COLL_STORE,
		"a barrier over the store"));
	ok(means(python(c10d, "get_rank"), NH_COLL_NONE, NULL));
	ok(means(native("c10d::Work::wait(std::chrono::duration<long, std::ratio<1l, 1000l> >)"),
		NH_COLL_WORK, NULL));
	ok(means(native("void gloo::allreduce<float>(gloo::AllreduceOptions const&)"), NH_COLL_ALL,
		"all_reduce"));
	ok(means(native("gloo::barrier(gloo::BarrierOptions&)"), NH_COLL_ALL, "barrier"));
	ok(means(native("c10d::TCPStore::doWait(c10::ArrayRef<std::string>, "
			"std::chrono::duration<long>)"),
		NH_COLL_STORE, "a key of the store"));
	ok(means(native("cudaStreamSynchronize"), NH_COLL_DEVICE, NULL));
	ok(means(native("pncclAllReduce"), NH_COLL_ALL, "all_reduce"));
	ok(means(native("poll"), NH_COLL_NONE, NULL));
	ok(means(nh_coll_of(&(struct nh_frame){ .func = "ncclAllReduce", .nearest = true }),
		NH_COLL_NONE, NULL));
	ok(means(nh_coll_of(&(struct nh_frame){ .offset = 1 }), NH_COLL_NONE, NULL));
	ok(library(DISTRIBUTED "c10d_logger.py") && library("<frozen runpy>"));
	ok(!library("/home/u/torch/train.py") && !library("/job/train.py"));
	return done();
}
