"""Threads that run, begin and end all the time: whatever is read of them must be one of these."""
import os
import threading
import time


def work(n):
    return sum(i * i for i in range(n)) if n < 50 else work(n - 1)


def spin():
    while True:
        work(80)
        time.sleep(0.0005)


def short():
    work(60)


def make():
    while True:
        t = threading.Thread(target=short)
        t.start()
        t.join()


for target in (spin, spin, spin, make):
    threading.Thread(target=target, daemon=True).start()
print("pid=%d" % os.getpid(), flush=True)
os.read(0, 1)
os._exit(0)
