"""lock_files.py wait | build PATH: waits for a lock file to go away, or has it open as a build does
while it runs."""

import os
import sys
import threading

from file_baton import Baton


def until_input_ends():
    sys.stdin.read()
    os._exit(0)


baton = Baton(sys.argv[2])
threading.Thread(target=until_input_ends, daemon=True).start()
print(f"pid={os.getpid()}", flush=True)
if sys.argv[1] == "wait":
    baton.wait()
fd = baton.take()
threading.Event().wait()
