"""fork_cases.py lock | event: a child of a fork waits for a lock of its parent's thread, or sleeps
until a signal comes, as a program may."""

import os
import sys
import threading

held = threading.Lock()
begun = threading.Event()


def hold():
    with held:
        begun.set()
        threading.Event().wait()


def until_input_ends():
    sys.stdin.read()
    os._exit(0)


def child():
    if sys.argv[1] == "event":
        threading.Event().wait()
    with held:
        pass


threading.Thread(target=until_input_ends, daemon=True).start()
threading.Thread(target=hold, daemon=True).start()
begun.wait()
pid = os.fork()
if not pid:
    child()
    os._exit(1)
print(f"pid={pid}", flush=True)
try:
    os.waitpid(pid, 0)
finally:
    os.kill(pid, 9)
