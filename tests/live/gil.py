"""Threads and Python's global lock: gil.py LIBRARY MODE.

Prints pid=N wanter=N, then does what the mode says: hangs, or only looks so.
"""
import ctypes
import os
import sys
import threading
import time

library, mode = sys.argv[1:]
keeps = ctypes.PyDLL(library)  # calls that keep the GIL
gives = ctypes.CDLL(library)  # calls that give it away meanwhile
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: ends with the test
tids = []


def wants():
    tids.append(threading.get_native_id())
    while True:
        time.sleep(0.05)


def computes():
    tids.append(threading.get_native_id())
    while True:
        sum(range(10000))


def begin(function):
    threading.Thread(target=function, daemon=True).start()


def stand():
    while not tids:
        time.sleep(0.01)
    print("pid=%d wanter=%d" % (os.getpid(), tids[0]), flush=True)


begin(computes if mode == "turns" else wants)
stand()
if mode == "turns":
    begin(computes)
    while True:
        sum(range(10000))
elif mode == "release":
    gives.wait_for_napper()
elif mode == "child":
    # The GIL is kept while waiting for a child that waits for this process to write.
    r, w = os.pipe()
    child = os.fork()
    if not child:
        ctypes.CDLL(None).prctl(1, 9)
        os.close(w)
        os.read(r, 1)
        os._exit(0)
    os.close(r)
    ctypes.PyDLL(None).waitpid(child, None, 0)
elif mode == "pipe":
    # Only a thread of this process could write, and it wants the GIL.
    r, w = os.pipe()
    ctypes.PyDLL(None).read(r, ctypes.create_string_buffer(1), 1)
elif mode in ("nap", "spin"):
    getattr(keeps, mode)(1000)
else:
    getattr(keeps, mode)()
