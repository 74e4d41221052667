#!/usr/bin/env python3
"""Processes and threads of many roles, idle, or one that is not: roles.py library|loader|busy.

Prints pid=N, and ends when its input does.
"""
import asyncio
import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor


def same(x):
    return x


def stands():
    """The fixture is complete: says so, and waits until it may end."""
    print(f"pid={os.getpid()}", flush=True)
    sys.stdin.read()
    # Children that still wait must not keep it from ending.
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)


def serve():
    async def main():
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        await server.serve_forever()

    threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()


def library():
    """Python's own: pools, queues, a fork server and its tracker, an event loop."""
    pool = multiprocessing.Pool(2)
    pool.map(same, [1, 2])
    threads = ThreadPoolExecutor(2)
    threads.submit(same, 1).result()
    processes = ProcessPoolExecutor(2)
    processes.submit(same, 1).result()
    queue = multiprocessing.Queue()
    queue.put(1)
    queue.get()
    child = multiprocessing.get_context("forkserver").Process(target=time.sleep, args=(600,))
    child.start()
    busy = ThreadPoolExecutor(1)
    busy.submit(time.sleep, 600)
    serve()
    time.sleep(1)
    stands()


class Data:
    def __init__(self, busy):
        self.busy = busy

    def __len__(self):
        return 64

    def __getitem__(self, i):
        if self.busy and i == 40:
            time.sleep(600)
        return float(i)


def loader(busy):
    """PyTorch's DataLoader with four workers that have nothing more to do, or one that never ends."""
    from torch.utils.data import DataLoader

    batches = iter(DataLoader(Data(busy), batch_size=4, num_workers=4))
    next(batches)
    time.sleep(1)
    if busy:
        print(f"pid={os.getpid()}", flush=True)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        for _ in batches:
            pass
    stands()


if __name__ == "__main__":
    if sys.argv[1] == "library":
        library()
    else:
        loader(sys.argv[1] == "busy")
