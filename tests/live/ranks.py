"""ranks.py DIR SCENE...: in each scene four ranks of a job over Gloo, real torch.distributed, hang
in a known way, as DIR/SCENE.out says once they stand: `pid=P r0=R r1=R …`, P started them.

All end with the standard input.  Everything is forked from one process, as the import of torch
costs more than all the rest; what a launcher would have put into the environment of a rank it
writes where the kernel shows it.
"""

import ctypes
import io
import os
import signal
import socket
import sys
import threading
import time
from datetime import timedelta

import torch
import torch.distributed as dist

FOREVER = timedelta(hours=1)
PR_SET_PDEATHSIG = 1
PAD = b"PAD=" + b"." * 200


def show(text):
    """Overwrite PAD=…… in the environment this process was started with."""
    with open("/proc/self/stat", encoding="ascii") as stat:
        start, end = (int(x) for x in stat.read().split()[49:51])
    at = ctypes.string_at(start, end - start).find(PAD)
    ctypes.memmove(start + at, text.encode().ljust(len(PAD), b"\0"), len(PAD))


def stands():
    os.write(ready[1], b".")


def forever():
    while True:
        time.sleep(3600)


def reduce_once():
    dist.all_reduce(torch.ones(1))


def save_checkpoint():
    dist.barrier()


def compute():
    os.nice(5)
    x = 0
    while True:
        x += 1
        if x % 100000 == 0:
            time.sleep(0.005)


class Slow(io.BytesIO):
    def write(self, data):
        time.sleep(0.005)
        return super().write(data)


def save():
    while True:
        torch.save([torch.ones(1) for _ in range(100)], Slow())


def read_shard():
    os.read(life[0], 1)


def augment():
    forever()


def wait_for_sample():
    """Of a worker of its own, that is at it and does not come back."""
    sample = os.pipe()
    if not os.fork():
        end_with_parent()
        os.close(sample[0])
        augment()
    os.close(sample[1])
    os.read(sample[0], 1)


def load_weights():
    forever()


def instead(rank, others):
    """The ranks of `others` do that, while the rest is in all_reduce."""
    stands()
    others.get(rank, reduce_once)()


def in_two_threads(rank):
    """The checkpoint's thread and the main one share a group; on rank 0 they come the other way
    round."""
    stands()
    save = threading.Thread(target=save_checkpoint, daemon=True)
    if rank == 0:
        save.start()
    else:
        threading.Timer(0.4, save.start).start()
    time.sleep(0.2)
    reduce_once()
    forever()


def steps(_):
    stands()
    while True:
        reduce_once()
        time.sleep(0.02)


def dies(rank):
    """A child keeps what its parent had open, so that no peer is told that it is gone."""
    stands()
    if rank == 2:
        if os.fork():
            os.kill(os.getpid(), signal.SIGKILL)
        os.read(life[0], 1)
        os._exit(0)
    save_checkpoint()


def stops(rank):
    stands()
    if rank == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
    reduce_once()


def idles(rank):
    stands()
    forever()


SCENES = {
    "sleep": lambda r: instead(r, {1: forever}),
    "compute": lambda r: instead(r, {1: compute}),
    "saves": lambda r: instead(r, {0: save}),
    "read": lambda r: instead(r, {1: read_shard}),
    "worker": lambda r: instead(r, {1: wait_for_sample}),
    "barrier": lambda r: instead(r, {2: save_checkpoint}),
    "tie": lambda r: instead(r, {2: save_checkpoint, 3: save_checkpoint}),
    "hidden": lambda r: instead(r, {4: forever}),
    "phase": lambda r: instead(r, {0: compute, 1: compute, 2: compute, 3: compute}),
    "threads": in_two_threads,
    "dies": dies,
    "stops": stops,
    "steps": steps,
    "idles": idles,
}


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def be_rank(rank, ranks, scene, port):
    end_with_parent()
    os.close(life[1])
    env = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1",
           "MASTER_PORT": port}
    os.environ.update({name: str(value) for name, value in env.items()})
    if (scene, rank) != ("hidden", 4):
        show("\0".join(f"{name}={value}" for name, value in env.items()))
    if scene in ("late", "killed"):
        stands()
        if rank == 3:
            load_weights() if scene == "late" else os.kill(os.getpid(), signal.SIGKILL)
    dist.init_process_group("gloo", timeout=FOREVER)
    SCENES[scene](rank)


def launch(scene, port):
    pids = []
    for rank in range(5 if scene == "hidden" else 4):
        pids.append(os.fork())
        if not pids[-1]:
            be_rank(rank, 5 if scene == "hidden" else 4, scene, port)
            os._exit(0)
    for _ in pids:
        os.read(ready[0], 1)
    time.sleep(0.5)
    print(f"pid={os.getpid()}", *(f"r{r}={p}" for r, p in enumerate(pids)), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    if "PAD" not in os.environ:
        os.execve(sys.executable, [sys.executable, *sys.argv],
                  {**os.environ, "PAD": PAD[4:].decode()})
    torch.set_num_threads(1)
    for name in sys.argv[2:]:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            free = s.getsockname()[1]
        ready, life = os.pipe(), os.pipe()
        if not os.fork():
            end_with_parent()
            out = os.open(f"{sys.argv[1]}/{name}.out", os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(out, 1)
            os.dup2(out, 2)
            launch(name, free)
            os._exit(0)
        for fd in ready + life:
            os.close(fd)
    sys.stdin.read()
