"""Waits on pipes as Python makes them.  Prints pid=N [child=N].

    pipes.py queue | tracker | communicate | opener FIFO    hang
    pipes.py workers | asyncio | executor | coprocess | pipeline    do not
"""
import asyncio
import concurrent.futures
import ctypes
import multiprocessing
import multiprocessing.resource_tracker
import os
import signal
import subprocess
import sys
import threading
import time

PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def stands(child=0):
    print(f"pid={os.getpid()} child={child}", flush=True)


def until_input_ends():
    os.read(0, 1)
    os._exit(0)


def stay():
    time.sleep(1000)


def queue():
    """A worker is killed; the parent has the queue's write end itself."""
    box = multiprocessing.get_context("fork").Queue()
    worker = multiprocessing.get_context("fork").Process(target=stay)
    worker.start()
    os.kill(worker.pid, signal.SIGKILL)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    stands(worker.pid)
    box.get()


def tracker():
    """A bare fork's child has the write end of the resource tracker's pipe."""
    multiprocessing.resource_tracker.ensure_running()
    child = os.fork()
    if not child:
        until_input_ends()
    its = multiprocessing.resource_tracker._resource_tracker
    stands(child)
    os.close(its._fd)
    os.waitpid(its._pid, 0)


def communicate():
    """The child ends; what it left in the background keeps its output."""
    child = subprocess.Popen(
        ["sh", "-c", "exec 3<&0; { cat <&3 >/dev/null; :; } & echo child=$!"],
        stdout=subprocess.PIPE,
    )
    stands(child.stdout.readline().strip().removeprefix(b"child=").decode())
    child.communicate()


def opener():
    """A child opens a FIFO that nobody else has."""
    child = subprocess.Popen(["cat", sys.argv[2]])
    stands(child.pid)
    child.wait()


def workers():
    with multiprocessing.get_context("fork").Pool(2) as processes:
        processes.map(abs, [1, 2])
        stands()
        until_input_ends()


def asyncio_idle():
    async def main():
        stands()
        await asyncio.Event().wait()

    asyncio.run(main())


def executor():
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        threads.submit(abs, 1).result()
        stands()
        threading.Event().wait()


def coprocess():
    """A shell that reads what a coprocess may say."""
    script = "exec 3<&0; read -r line"
    child = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
    stands(child.pid)
    child.wait()


def pipeline():
    """The second stage is waited for; the first one works."""
    first = subprocess.Popen(["cat"], stdout=subprocess.PIPE)
    second = subprocess.Popen(["cat"], stdin=first.stdout)
    first.stdout.close()
    stands(first.pid)
    second.wait()


globals()[{"asyncio": "asyncio_idle"}.get(sys.argv[1], sys.argv[1])]()
