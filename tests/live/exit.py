"""Programs at their end: exit.py MODE.

Prints pid=N other=N (the thread or child that is joined, 0 = none), and comes to its end: which
never comes, or which comes when somebody is done.
"""
import atexit
import ctypes
import multiprocessing
import os
import queue
import selectors
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

mode = sys.argv[1]
libc = ctypes.CDLL(None)


def die_with_parent():
    libc.prctl(1, 9)  # PR_SET_PDEATHSIG


def waits_for_event():
    threading.Event().wait()


def waits_for_queue():
    queue.Queue().get()


def accepts():
    with socket.create_server(("127.0.0.1", 0)) as s:
        s.accept()


def selects():
    with socket.create_server(("127.0.0.1", 0)) as s, selectors.DefaultSelector() as all_of_them:
        all_of_them.register(s, selectors.EVENT_READ)
        all_of_them.select()


def takes_signals():
    signal.sigwait([signal.SIGUSR1])


def sleeps():
    while True:
        time.sleep(0.2)


def waits_a_while():
    while not threading.Event().wait(0.2):
        pass


def computes():
    while True:
        sum(range(1000))


def works():
    die_with_parent()
    sleeps()


def takes(tasks):
    die_with_parent()
    tasks.get()


def begin(function):
    t = threading.Thread(target=function)
    t.start()
    return t.native_id


def fork_one():
    child = os.fork()
    if not child:
        die_with_parent()
        signal.pause()
    atexit.register(os.waitpid, child, 0)
    return child


def process(target, *args):
    child = multiprocessing.get_context("fork").Process(target=target, args=args)
    child.start()
    return child.pid


def executor():
    pool = ThreadPoolExecutor(1)
    tids = []
    pool.submit(lambda: (tids.append(threading.get_native_id()), waits_for_event()))
    while not tids:
        time.sleep(0.01)
    return tids[0]


def idle():
    """Not at the end: an executor has nothing to do."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        print("pid=%d other=0" % os.getpid(), flush=True)
        threading.Event().wait()


def monitor():
    """A library's thread wakes now and then, and wakes nobody."""
    space = {"threading": threading}
    code = """
def run():
    while not threading.Event().wait(10):
        pass
"""
    exec(compile(code, "/usr/lib/tqdm/_monitor.py", "exec"), space)
    threading.Thread(target=space["run"], daemon=True).start()
    return begin(waits_for_event)


def handler():
    signal.signal(signal.SIGTERM, lambda *_: None)
    return begin(waits_for_event)


MODES = {
    "event": lambda: begin(waits_for_event),
    "queue": lambda: begin(waits_for_queue),
    "two": lambda: (begin(waits_for_queue), begin(waits_for_event))[1],
    "executor": executor,
    "child": fork_one,
    "process": lambda: process(takes, multiprocessing.get_context("fork").Queue()),
    "monitor": monitor,
    "handler": handler,
    "accept": lambda: begin(accepts),
    "sigwait": lambda: begin(takes_signals),
    "select": lambda: begin(selects),
    "sleep": lambda: begin(sleeps),
    "bounded": lambda: begin(waits_a_while),
    "compute": lambda: begin(computes),
    "rivals": lambda: [begin(computes) for _ in range(3)][0],
    "server": lambda: (begin(waits_for_queue), begin(accepts))[0],
    "working": lambda: process(works),
    "idle": idle,
}

die_with_parent()
print("pid=%d other=%d" % (os.getpid(), MODES[mode]() or 0), flush=True)
