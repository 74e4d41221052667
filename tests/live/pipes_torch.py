"""Workers of PyTorch.  Prints pid=N, and child=N once it stands.

    pipes_torch.py killed        a worker with a queue was killed, after a DataLoader was used: hangs
    pipes_torch.py prefetched    the workers of a DataLoader have nothing to do: does not

A DataLoader that waits for a killed worker notices it and raises.
"""
import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
print(f"pid={os.getpid()}", flush=True)

import torch.multiprocessing  # pylint: disable=wrong-import-position
from torch.utils.data import DataLoader  # pylint: disable=wrong-import-position

data = list(range(64))


def stands(child):
    print(f"child={child}", flush=True)


def until_input_ends():
    os.read(0, 1)
    os._exit(0)


def stay():
    time.sleep(1000)


def killed():
    list(DataLoader(data, num_workers=1))
    queue = torch.multiprocessing.get_context("fork").Queue()
    worker = torch.multiprocessing.get_context("fork").Process(target=stay)
    worker.start()
    os.kill(worker.pid, signal.SIGKILL)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    stands(worker.pid)
    queue.get()


def prefetched():
    batches = iter(DataLoader(data, num_workers=2, prefetch_factor=4, persistent_workers=True))
    next(batches)
    stands(batches._workers[0].pid)
    until_input_ends()


globals()[sys.argv[1]]()
