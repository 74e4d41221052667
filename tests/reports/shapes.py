"""Public reports of hung jobs, each rebuilt as a case: what hung, and what the thread found out.

@report(ID, CLASS, gold): `gold` means that the report has a stack and an established cause.  Classes
are those of tests/reports/reports.py.  A report whose cause is unknown, or whose evidence lies outside a
host (a bridge's setting, a kernel's bug), has no shape here.
"""
from host import Host

REPORTS = []


def report(id, kind, gold=False):
    def keep(build):
        REPORTS.append((id, kind, gold, build))
        return build
    return keep


MAIN = "<module>@/job/train.py:88"
DISTRIBUTED = "/usr/lib/python3/torch/distributed/distributed_c10d.py"
LOADER = "/usr/lib/python3/torch/utils/data/dataloader.py"
SERVICE = ["__poll", "ncclProxyService", "start_thread"]
TAKE_GIL = ["pthread_cond_timedwait", "PyCOND_TIMEDWAIT", "take_gil"]


def service(p, slots, tid=None):
    """NCCL's proxy service thread: live peers in the first slots, its listener in the last."""
    return p.polls("NCCL Service", SERVICE, [*enumerate(slots), (64, 60)], 500, 65, tid=tid)


def store_get(p, fd, comm="python3", frames=()):
    return p.reads(comm, ["__libc_recv", "c10d::TCPStore::doWait", "c10d::TCPStore::get",
                          "c10d::PrefixStore::get", *frames], fd, "recvfrom")


@report("NVIDIA/nccl#1013", "B", gold=True)
def _(h):
    a, b = h.rank(0, 2), h.rank(1, 2)
    for p in a, b:
        h.maps(p, "libnccl.so.2", "libtorch_cuda.so")
    h.tcp([[(a, 61)], [(b, 62)]])
    h.tcp([[(b, 61)], [(a, 62)]], local="127.0.0.1:34002", remote="127.0.0.1:45002")
    h.listener(a, 60)
    h.listener(b, 60, "127.0.0.1:34002")
    a.joins("python3", ["__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "commFree",
                        "commCleanup", "commReclaim", "ncclCommAbort",
                        "c10d::NCCLComm::ncclCommAbort", "c10d::abortCommsFromMap"], a.pid + 2)
    a.locked("pt_nccl_watchdg", ["__lll_lock_wait", "pthread_mutex_lock",
                                 "c10d::ProcessGroupNCCL::checkForNCCLErrorsInternal",
                                 "c10d::ProcessGroupNCCL::WorkNCCL::checkAndSetException",
                                 "c10d::ProcessGroupNCCL::workCleanupLoop",
                                 "c10d::ProcessGroupNCCL::ncclCommWatchdog"], a.pid)
    service(a, [61])
    b.thread("python3", ["clock_nanosleep", "nanosleep", "usleep", "groupLaunch",
                         "ncclGroupEndInternal", "ncclGroupEnd", "c10d::ProcessGroupNCCL::abort",
                         "c10d::ProcessGroupNCCL::~ProcessGroupNCCL",
                         "c10d::ProcessGroup::~ProcessGroup"], "clock_nanosleep", moves=True)
    b.joins("python3", ["__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "commFree",
                        "commReclaim", "ncclAsyncJobMain"], b.pid + 2)
    service(b, [61])


@report("NVIDIA/nccl#1777", "B")
def _(h):
    a, b = h.rank(0, 2), h.rank(1, 2)
    for p in a, b:
        h.maps(p, "libnccl.so.2", "libtorch_cuda.so")
    h.tcp([[(a, 61)], [(b, 62)]])
    h.tcp([[(b, 61)], [(a, 62)]], local="127.0.0.1:34002", remote="127.0.0.1:45002")
    h.listener(a, 60)
    h.listener(b, 60, "127.0.0.1:34002")
    a.joins("python3", ["__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "commFree",
                        "commReclaim", "ncclCommAbort", "c10d::abortCommsFromMap",
                        "c10d::ProcessGroupNCCL::abort"], a.pid + 1)
    service(a, [61])
    b.thread("python3", ["step@/job/train.py:40", MAIN], "running", moves=True)
    service(b, [61])


@report("NVIDIA/nccl#829", "C", gold=True)
def _(h):
    p = h.rank(0, 2)
    h.maps(p, "libnccl.so.2", "libcudart.so.12", "libcuda.so.1")
    p.thread("python3", ["?", "cuMemcpyDtoH_v2", "cudaMemcpy", MAIN], "running", moves=True)
    p.thread("python3", ["?", "cudaStreamSynchronize", "ncclStrongStreamSynchronize",
                         "commDestroySync", "commReclaim", "ncclCommAbort"], "running", moves=True)


@report("NVIDIA/nccl#549", "C")
def _(h):
    p = h.rank(0, 2)
    h.maps(p, "libnccl.so.2", "libcudart.so.12", "libcuda.so.1")
    p.thread("python3", ["clock_gettime", "?", "cuMemFree_v2", "cudart::cudaApiFree", "cudaFree",
                         "commFree", "commReclaim", "ncclCommAbort"], "running", moves=True)


@report("vllm-project/vllm#39846", "C")
def _(h):
    p = h.rank(0, 2)
    h.maps(p, "libnccl.so.2", "libcudart.so.12")
    p.thread("python3", ["sched_yield", "ncclCommPollCallbacks", "commDestroySync", "commReclaim",
                         "ncclCommAbort"], "running", moves=True)


@report("NVIDIA/nccl#585", "D", gold=True)
def _(h):
    h.header["asked"] = []  # the whole host was looked at
    for rank in range(8):
        if rank == 3:
            continue
        p = h.rank(rank, 8)
        h.maps(p, "libnccl.so.2", "libcudart.so.12", "libcuda.so.1")
        p.thread("python3", ["clock_gettime", "?", "cuStreamSynchronize", "cudaStreamSynchronize",
                             MAIN], "running", moves=True)


@report("sgl-project/sglang#17941", "D")
def _(h):
    p = h.rank(0, 16, 8)
    h.tcp([[(p, 30)], None], local="10.0.0.1:4001", remote="10.0.0.2:5001")
    p.cond("python3", ["pthread_cond_timedwait", "gloo::transport::tcp::UnboundBuffer::waitRecv",
                       "c10d::ProcessGroupGloo::RecvWork::wait",
                       f"broadcast_object_list@{DISTRIBUTED}:2600", MAIN], timeout=True)


@report("NVIDIA/nccl#865", "E", gold=True)
def _(h):
    a, b = h.rank(0, 2), h.rank(1, 2)
    h.tcp([[(b, 30)], [(a, 31)]], local="127.0.0.1:40001", remote="127.0.0.1:29500")
    a.thread("python3", ["_map_single@/usr/lib/python3/datasets/arrow_dataset.py:3300",
                         "map@/usr/lib/python3/datasets/arrow_dataset.py:3000", MAIN],
             "running", moves=True)
    b.reads("python3", ["__libc_recv", "c10d::TCPStore::doWait", "c10d::TCPStore::get",
                        "c10d::ProcessGroupNCCL::barrier", f"barrier@{DISTRIBUTED}:3696",
                        "main_process_first@/usr/lib/python3/accelerate/state.py:500", MAIN], 30,
            "recvfrom")


@report("deepspeedai/DeepSpeed#7461", "F", gold=True)
def _(h):
    stage3 = "/usr/lib/python3/deepspeed/runtime/zero/stage3.py"
    for rank in range(8):
        p = h.rank(rank, 8)
        h.maps(p, "libnccl.so.2", "libtorch_cuda.so")
        if rank < 3:
            where = [f"all_reduce@{DISTRIBUTED}:2500",
                     f"complete_grad_norm_calculation_for_cpu_offload@{stage3}:2000",
                     f"_get_norm_groups@{stage3}:2010", f"step@{stage3}:2100", MAIN]
        else:
            where = [f"reduce_scatter_tensor@{DISTRIBUTED}:3900",
                     "reduce_scatter_fn@/usr/lib/python3/deepspeed/comm/comm.py:250",
                     "reduce_scatter_coalesced@/usr/lib/python3/deepspeed/runtime/comm/coalesced_collectives.py:100",
                     f"backward@{stage3}:2200", MAIN]
        p.thread("python3", ["?", "cuStreamSynchronize", "cudaStreamSynchronize", *where],
                 "running", moves=True)


@report("KempnerInstitute/KempnerForge#104", "F")
def _(h):
    for rank in range(2):
        p = h.rank(rank, 2)
        p.cond("python3", ["pthread_cond_wait", "c10d::Work::wait", f"barrier@{DISTRIBUTED}:3696",
                           "save@/job/checkpoint.py:50", MAIN])
        p.cond("python3", ["pthread_cond_wait", "c10d::Work::wait",
                           f"gather_object@{DISTRIBUTED}:2700",
                           "_save_state_dict@/usr/lib/python3/torch/distributed/checkpoint/state_dict_saver.py:300",
                           "_worker@/usr/lib/python3.10/concurrent/futures/thread.py:83"])


@report("huggingface/accelerate#2690", "F")
def _(h):
    for rank in range(4):
        p = h.rank(rank, 4)
        if rank == 0:
            where = [f"all_gather_into_tensor@{DISTRIBUTED}:2900",
                     "get_state_dict@/usr/lib/python3/accelerate/accelerator.py:3200", MAIN]
        else:
            where = [f"barrier@{DISTRIBUTED}:3696",
                     "wait_for_everyone@/usr/lib/python3/accelerate/state.py:370", MAIN]
        p.cond("python3", ["pthread_cond_wait", "c10d::Work::wait", *where])


@report("pytorch/pytorch#15638", "G")
def _(h):
    p = h.rank(1, 2)
    h.tcp([[(p, 30)]], "SYN_SENT", "10.0.0.2:40001", "10.0.0.1:29500")
    p.reads("python3", ["connect", "c10d::tcputil::connect", "c10d::TCPStore::TCPStore",
                        "_env_rendezvous_handler@/usr/lib/python3/torch/distributed/rendezvous.py:200",
                        f"init_process_group@{DISTRIBUTED}:900", MAIN], 30, "connect")


@report("pytorch/pytorch#9696", "G")
def _(h):
    p = h.rank(1, 2)
    h.tcp([[(p, 30)], None], local="10.0.0.2:40001", remote="10.0.0.1:29500")
    store_get(p, 30, frames=[f"init_process_group@{DISTRIBUTED}:900", MAIN])


@report("pytorch/pytorch#75147", "H", gold=True)
def _(h):
    parent = h.rank(0, 1)
    worker = h.forked(2050, parent)
    h.pipe(parent, 20, [(worker, 21), (parent, 21)])
    wait = ["wait@/usr/lib/python3.8/multiprocessing/connection.py:930",
            f"_try_get_data@{LOADER}:980", f"__next__@{LOADER}:500", MAIN]
    parent.polls("python3", ["__poll", *wait], [(0, 20)], 5000, moves=True)
    for i in range(17):
        parent.cond("python3", ["pthread_cond_wait", "blas_thread_server"])
    worker.locked("python3", ["__lll_lock_wait", "pthread_mutex_lock", "__kmp_lock_suspend_mx",
                              "__kmp_free_thread", "__kmp_set_num_threads", "at::set_num_threads",
                              "THPModule_setNumThreads",
                              "_worker_loop@/usr/lib/python3/torch/utils/data/_utils/worker.py:190"],
                  parent.pid + 1)


@report("grpc/grpc#38020", "H")
def _(h):
    parent = h.process(2000)
    for i in range(4):
        parent.cond("python3", ["pthread_cond_wait"])
    child = h.forked(2050, parent)
    child.thread("python3", ["syscall", "absl::FutexImpl::WaitUntil", "absl::Waiter::Wait",
                             "AbslInternalPerThreadSemWait", "absl::PerThreadSem::Wait",
                             "absl::Mutex::Block", "absl::Mutex::LockSlowLoop",
                             "absl::Mutex::LockSlowWithDeadline"], "futex",
                 [0x7F5000000300, 0x80, 0], futex_word=0)


@report("huggingface/tokenizers#258", "H")
def _(h):
    parent = h.process(2000)
    parent.polls("python3", ["__poll", f"_try_get_data@{LOADER}:980", MAIN], [(0, 20)], 5000,
                 moves=True)
    for i in range(8):
        parent.cond("python3", ["syscall", "rayon_core::sleep::Sleep::sleep"])
    child = h.forked(2050, parent)
    h.pipe(parent, 20, [(child, 21), (parent, 21)])
    child.thread("python3", ["syscall", "std::sys::futex::futex_wait",
                             "rayon_core::latch::LockLatch::wait_and_reset",
                             "encode_batch@/job/collate.py:8",
                             "_worker_loop@/usr/lib/python3/torch/utils/data/_utils/worker.py:300"],
                 "futex", [0x7F5000000300, 0x80, 0], futex_word=0)


@report("NVIDIA-NeMo/RL#3504", "I")
def _(h):
    for rank in range(4):
        p = h.rank(rank, 32, 4)
        p.fd(40, "file", mode="w", path="/nfs/out/tokenizer.json")
        p.fds[-1].update(fstype="nfs4", mount="/nfs")
        call = ("ftruncate", ["nfs_setattr", "do_truncate"]) if rank == 0 else (
            "pwrite64", ["rwsem_down_read_slowpath", "nfs_start_io_read"])
        p.thread("python3", ["?", "save_pretrained@/job/save.py:9", MAIN], call[0], [40], state="D",
                 wchan=call[1][0], waits=[{"slot": 0, "fd": 40, "events": 4}])


@report("rwth-i6/returnn#1497", "J", gold=True)
def _(h):
    p = h.rank(0, 1)
    child = h.process(2050, ppid=p.pid, why="descendant", cmdline="python3 -c from "
                      "multiprocessing.spawn import spawn_main; spawn_main(...)")
    h.pipe(child, 5, [(p, 6)])
    child.reads("python3", ["__read", "_recv@/usr/lib/python3.11/multiprocessing/connection.py:378",
                            "main@/job/proc.py:20"], 5)
    p.thread("python3", ["__wait4", "wait@/job/returnn/util/multi_proc.py:60",
                         "__call__@/job/returnn/util/multi_proc.py:70"], "wait4",
             [child.pid, 0x7FFD00005000])
    p.python(finalizing=True, threads=[p.pid])


@report("marin-community/marin#7304", "J")
def _(h):
    p = h.process(2000)
    p.cond("python3", ["__futex_abstimed_wait_common", "PyThread_acquire_lock_timed",
                       "_shutdown@/usr/lib/python3.11/threading.py:1590"])
    p.cond("python3", ["__futex_abstimed_wait_common", "PyThread_acquire_lock_timed",
                       "wait@/usr/lib/python3.11/threading.py:327",
                       "serve@/job/server.py:30", "run@/usr/lib/python3.11/threading.py:982"],
           addr=0x7F5000000400)
    p.python(threads=[2001, 2000])


@report("python/cpython#146313", "K")
def _(h):
    p = h.process(2000)
    tracker = h.process(2010, ppid=2000, why="descendant", cmdline="python3 -c from "
                        "multiprocessing.resource_tracker import main;main(4)")
    child = h.forked(2020, p)
    h.pipe(tracker, 4, [(child, 5)])
    p.thread("python3", ["__wait4", "_stop@/usr/lib/python3.12/multiprocessing/resource_tracker.py:98",
                         "__del__@/usr/lib/python3.12/multiprocessing/resource_tracker.py:84"],
             "wait4", [2010, 0x7FFD00005000])
    tracker.reads("python3", ["__read", "main@/usr/lib/python3.12/multiprocessing/resource_tracker.py:220"], 4)
    child.thread("python3", ["pause", MAIN], "nanosleep", [0x7FFD00005000, 0])


@report("ray-project/ray#52700", "K")
def _(h):
    reader = h.process(2000, "agent", ppid=1)
    sibling = h.process(2010, "agent", ppid=1)
    h.pipe(reader, 0, [(sibling, 9)])
    h.pipe(sibling, 0, [(reader, 9)])
    for p in reader, sibling:
        p.reads("agent", ["__read", "readline@/job/agent.py:12"], 0)


@report("horovod/horovod#3352", "L", gold=True)
def _(h):
    r0, r1 = h.rank(0, 2), h.rank(1, 2)
    r0.locked("python3", ["__lll_lock_wait", "pthread_mutex_lock", "horovod::common::TensorQueue::AddToTensorQueue",
                          "synchronize@/usr/lib/python3/horovod/torch/mpi_ops.py:1260", MAIN], r0.pid + 1)
    r0.cond("python3", ["pthread_cond_wait", "gloo::transport::tcp::UnboundBuffer::waitRecv",
                        "gloo::allgather", "horovod::common::GlooController::CrossRankBitwiseAnd"])
    r1.cond("python3", ["pthread_cond_wait", "horovod_torch_wait_and_clear",
                        "synchronize@/usr/lib/python3/horovod/torch/mpi_ops.py:1260", MAIN])
    r1.cond("python3", [*TAKE_GIL, "PyEval_AcquireThread", "pybind11::gil_scoped_acquire",
                        "concrete_decref_fn", "c10::TensorImpl::release_resources",
                        "c10::intrusive_ptr::reset_"], addr=0x7F5000000800, timeout=True)
    r1.python(holder=r1.pid, waiters=[r1.pid + 1], threads=[r1.pid])
    r0.python(holder=r0.pid, threads=[r0.pid])


@report("pytorch/pytorch#119262", "L", gold=True)
def _(h):
    p = h.process(2000)
    p.cond("python3", ["__futex_abstimed_wait_common", *TAKE_GIL, "PyEval_RestoreThread",
                       "torch::autograd::PyNode::apply", MAIN], addr=0x7F5000000800, timeout=True)
    p.cond("python3", [*TAKE_GIL, "PyEval_RestoreThread"], addr=0x7F5000000800, timeout=True)
    p.python(holder=2000, waiters=[2000, 2001])


@report("pytorch/pytorch#97833", "L", gold=True)
def _(h):
    p = h.process(2000)
    p.locked("python3", ["__lll_lock_wait", "pthread_mutex_lock",
                         "c10::cuda::CUDACachingAllocator::DeviceCachingAllocator::malloc", MAIN],
             2001)
    p.cond("pt_autograd_0", [*TAKE_GIL, "PyEval_AcquireThread", "pybind11::gil_scoped_acquire",
                             "torch::StackContext"], addr=0x7F5000000800, timeout=True)
    p.python(holder=2000, waiters=[2001])


@report("pytorch/pytorch#104103", "L")
def _(h):
    p = h.rank(0, 2)
    h.maps(p, "libcudart.so.12", "libcuda.so.1")
    p.thread("python3", ["?", "cuStreamSynchronize", "cudaMemcpyAsync", "THPVariable_item", MAIN],
             "running", moves=True)
    p.cond("python3", [*TAKE_GIL, "PyEval_RestoreThread", "serve@/job/store.py:10"],
           addr=0x7F5000000800, timeout=True)
    p.python(holder=p.pid, waiters=[p.pid + 1])


@report("NVIDIA/nccl#582", "M")
def _(h):
    p = h.rank(0, 8)
    h.maps(p, "libnccl.so.2")
    p.thread("python3", ["nanosleep", "usleep", "groupLaunch", "ncclGroupEndInternal",
                         "ncclGroupEnd"], "clock_nanosleep", moves=True)
    h.tcp([[(p, 30)], [(p, 31)]])
    for i in range(3):
        p.reads("python3", ["__libc_recv", "ncclSocketProgressOpt", "ncclSocketRecv", "bootstrapNetRecv",
                            "bootstrapAllGather", "ncclCommInitRankFunc", "ncclAsyncThreadMain"], 30,
                "recvfrom")


@report("pytorch/pytorch#185414", "N")
def _(h):
    agent = h.process(1990, "pt_elastic")
    worker = h.rank(0, 1, ppid=1990, why="descendant", state="D", killed=True)
    agent.thread("pt_elastic", ["__wait4", "join@/usr/lib/python3.10/multiprocessing/process.py:149",
                                "_close@/usr/lib/python3/torch/distributed/elastic/multiprocessing/api.py:500",
                                MAIN], "wait4", [worker.pid, 0x7FFD00005000])
    worker.thread("python3", ["?", "cuCtxDestroy"], "ioctl", [50, 0xC020462A], state="D",
                  wchan="os_acquire_rwlock_write", waits=[{"slot": 0, "fd": 50, "events": 1}])
    worker.fd(50, "file", path="/dev/nvidia0")


@report("NVIDIA/nccl#750", "Q", gold=True)
def _(h):
    for rank in range(2):
        p = h.rank(rank, 2, env={"CUDA_LAUNCH_BLOCKING": "1"})
        h.maps(p, "libnccl.so.2", "libcudart.so.12", "libcuda.so.1")
        p.thread("python3", ["?", "cudaLaunchKernel", "ncclStrongStreamLaunchKernel",
                             "ncclLaunchKernel", "ncclGroupEndInternal", "ncclGroupEnd",
                             "c10d::AutoNcclGroup::~AutoNcclGroup", MAIN], "running", moves=True)


@report("NVIDIA/nccl#48", "Q")
def _(h):
    p = h.process(2000)
    h.maps(p, "libnccl.so.2", "libcudart.so.12", "libcuda.so.1")
    p.thread("train", ["?", "cuFreeHost", "cudaFreeHost", "worker"], "running", moves=True)
    for i in range(3):
        p.thread("train", ["?", "cuStreamSynchronize", "cudaStreamSynchronize", "worker"], "running",
                 moves=True)


@report("PASSIONLab/OpenEquivariance#156", "R", gold=True)
def _(h):
    baton(h, "/root/.cache/torch_extensions/py310_cu121/ext/lock")


@report("pytorch/pytorch#189245", "R")
def _(h):
    baton(h, "/home/u/.cache/torch_extensions/py312_cu126/ext/lock")


def baton(h, path):
    p = h.process(2000)
    ext = "/usr/lib/python3/torch/utils/cpp_extension.py"
    p.thread("python3", ["clock_nanosleep", "wait@/usr/lib/python3/torch/utils/file_baton.py:58",
                         f"_jit_compile@{ext}:1700", f"load@{ext}:1300", MAIN], "clock_nanosleep",
             moves=True)
    h.more["lock_files"] = [{"pid": 2000, "tid": 2000, "library": "torch's FileBaton", "path": path,
                             "mtime_ms": 1780000000000, "searched": True}]


@report("RolnickLab/ami-data-companion#140", "S", gold=True)
def _(h):
    p = h.process(2000)
    h.forked(2050, p, comm="pt_data_worker").zombie(256)
    h.pipe(p, 20, [(p, 21)])
    p.cond("python3", ["__futex_abstimed_wait_common", "wait@/usr/lib/python3.10/threading.py:320",
                       "get@/usr/lib/python3.10/queue.py:171", f"_try_get_data@{LOADER}:1000",
                       f"_get_data@{LOADER}:1100", f"_next_data@{LOADER}:1200",
                       f"__next__@{LOADER}:600", MAIN])
    p.polls("python3", ["__poll", "select@/usr/lib/python3.10/selectors.py:416",
                        "wait@/usr/lib/python3.10/multiprocessing/connection.py:936",
                        "_poll@/usr/lib/python3.10/multiprocessing/connection.py:424",
                        "poll@/usr/lib/python3.10/multiprocessing/connection.py:257",
                        "get@/usr/lib/python3.10/multiprocessing/queues.py:113",
                        "_pin_memory_loop@/usr/lib/python3/torch/utils/data/_utils/pin_memory.py:28"],
            [(0, 20)])


@report("pytorch/pytorch#21554", "S")
def _(h):
    p = h.process(2000)
    h.forked(2050, p, comm="pt_data_worker").zombie(9)
    h.pipe(p, 20, [(p, 21)])
    p.cond("python3", ["__futex_abstimed_wait_common", "join@/usr/lib/python3.10/threading.py:1096",
                       f"_shutdown_workers@{LOADER}:1400", MAIN])
    p.reads("python3", ["__read", "_recv@/usr/lib/python3.10/multiprocessing/connection.py:379",
                        "get@/usr/lib/python3.10/multiprocessing/queues.py:103",
                        "_pin_memory_loop@/usr/lib/python3/torch/utils/data/_utils/pin_memory.py:28"], 20)


@report("rwth-i6/returnn#1484", "S")
def _(h):
    agent = h.process(1900, "pt_elastic")
    agent.thread("pt_elastic", ["_invoke_run@/usr/lib/python3/torch/distributed/elastic/agent/server/api.py:850"],
                 "clock_nanosleep", moves=True)
    for rank in range(4):
        p = h.rank(rank, 4, ppid=1900, why="descendant")
        if rank == 1:
            h.maps(p, "libnccl.so.2", "libcudart.so.12", "libcuda.so.1")
            p.thread("python3", ["?", "cuStreamSynchronize", f"all_reduce@{DISTRIBUTED}:2500", MAIN],
                     "running", moves=True)
        else:
            p.zombie(1)


@report("NVIDIA/nccl#1808", "T")
def _(h):
    p = h.rank(0, 2)
    other = h.process(1500, "scanner", 1, why="holder")
    h.maps(p, "libnccl.so.2")
    h.listener(p, 60)
    h.tcp([[(p, 61)], [(other, 3)]])
    p.joins("python3", ["__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "commFree",
                        "commReclaim", "ncclCommAbort"], p.pid + 1)
    p.thread("NCCL Service", ["recv", "socketFinalizeAccept", "ncclSocketAccept", "ncclProxyService"],
             "running", moves=True)
    other.thread("scanner", ["pause"], "nanosleep", [1, 0])


@report("vllm-project/vllm#41834", None)
def _(h):
    """An idle worker, as it should be: only the peer's state could tell otherwise."""
    engine = h.process(2000, "EngineCore")
    p = h.process(2010, "Worker", 2000, why="descendant")
    h.listener(engine, 12, "127.0.0.1:5555")
    h.tcp([[(p, 20)], [(engine, 21)]])
    p.polls("Worker", ["__poll", "zmq::signaler_t::wait",
                       "acquire_read@/usr/lib/python3/vllm/distributed/device_communicators/shm_broadcast.py:450",
                       "dequeue@/usr/lib/python3/vllm/distributed/device_communicators/shm_broadcast.py:500",
                       "worker_busy_loop@/usr/lib/python3/vllm/v1/executor/multiproc_executor.py:500"],
            [(0, 20)])
    engine.polls("EngineCore", ["__poll", "zmq::signaler_t::wait", "run_busy_loop@/job/core.py:10"],
                 [(0, 12)])


@report("pytorch/pytorch#162199", None)
def _(h):
    """Waits for its compile workers at exit, at most 300 s."""
    p = h.process(2000)
    child = h.process(2050, ppid=2000, why="descendant", cmdline="python3 compile_worker/__main__.py")
    h.pipe(child, 4, [(p, 5)])
    child.reads("python3", ["__read", "main@/usr/lib/python3/torch/_inductor/compile_worker/__main__.py:40"], 4)
    p.thread("python3", ["clock_nanosleep", "_wait@/usr/lib/python3.10/subprocess.py:1959",
                         "wait@/usr/lib/python3.10/subprocess.py:1209",
                         "shutdown@/usr/lib/python3/torch/_inductor/compile_worker/subproc_pool.py:200",
                         "shutdown_compile_workers@/usr/lib/python3/torch/_inductor/async_compile.py:90"],
             "clock_nanosleep", moves=True)


@report("benfred/py-spy#872", None)
def _(h):
    """A profiler stops its 159 threads a hundred times a second: slow, and it does move."""
    p = h.process(2000, tracer=3000)
    p.thread("python3", ["step@/job/train.py:40", MAIN], "running", moves=True)
    for i in range(20):
        p.cond("python3", ["pthread_cond_wait", "blas_thread_server"], moves=True)
