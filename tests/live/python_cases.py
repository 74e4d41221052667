"""Threads that wait in every way a Python stack can be built, and the truth about them.

    python_cases.py [MODE]

Prints pid=N, a JSON line for each thread with what sys._current_frames() says of it, and "stands".
Ends when its standard input does.  Modes: plain; gil, where a thread holds the GIL in
a C call and two others want it; fork and syscall, where a child is forked behind Python's back.
"""
import asyncio
import ctypes
import json
import multiprocessing
import os
import queue
import sys
import threading
import time

FOREVER = 10000
mode = sys.argv[1] if len(sys.argv) > 1 else "plain"
libc = ctypes.CDLL(None)
locked = ctypes.PyDLL(None)  # calls that keep the GIL
box = queue.Queue()


def line_over_several():
    time.sleep(
        max(
            1,
            FOREVER,
        )
    )


def blocks():
    with threading.Lock():
        for _ in range(3):
            try:
                if True:
                    box.get()
            except queue.Empty:
                pass


def in_c():
    libc.sleep(FOREVER)


class Deep:
    def down(self, n):
        if n:
            return self.down(n - 1)
        return self.bottom

    @property
    def bottom(self):
        return sorted([2, 1], key=lambda _: time.sleep(FOREVER))


def deep():
    Deep().down(61)


def generator():
    def inner():
        yield 1
        time.sleep(FOREVER)
        yield 2

    def outer():
        yield from inner()

    return [x for x in outer()]


async def leaf():
    await asyncio.sleep(0)
    time.sleep(FOREVER)


async def branch():
    await leaf()


def coroutine():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(branch())


async def idle():
    await asyncio.sleep(FOREVER)


def event_loop():
    asyncio.new_event_loop().run_until_complete(idle())


def compiled(text, file, name):
    space = {"time": time, "FOREVER": FOREVER}
    exec(compile(text, file, "exec"), space)
    return space[name]


def far():
    """More than 255 bytes of code on a line, and more than 127 lines to the next."""
    long = " + ".join("x%d" % i for i in range(120))
    text = "def jump():\n"
    text += "".join("    x%d = %d\n" % (i, i) for i in range(120))
    text += "    y = " + long + "\n" + "\n" * 200 + "    time.sleep(FOREVER)\n" + "\n" * 300
    text += "    for _ in range(2):\n        y = 1\n"
    compiled(text, "/tmp/far.py", "jump")()


def foreign():
    text = "def \u95a2\u6570():\n    time.sleep(FOREVER)\n"
    text += "def \u00e9t\u00e9():\n\n    \u95a2\u6570()\n"
    compiled(text, "/tmp/\u65e5\u672c/\U0001f600.py", "\u00e9t\u00e9")()


def through_c():
    def once(_):
        time.sleep(FOREVER)

    list(map(once, filter(lambda x: x, [1])))


def wants_gil():
    while True:
        time.sleep(
            0.3)


CASES = [line_over_several, blocks, in_c, deep, generator, coroutine, event_loop, far, foreign,
         through_c]


def frames_of(frame):
    frames = []
    while frame:
        code = frame.f_code
        frames.append([getattr(code, "co_qualname", code.co_name), code.co_filename,
                       frame.f_lineno])
        frame = frame.f_back
    return frames


def say(tid, frames, **more):
    print(json.dumps(dict(pid=os.getpid(), tid=tid, frames=frames, **more)), flush=True)


def truth(skip=()):
    now = sys._current_frames()
    for t in threading.enumerate():
        if t.ident not in skip:
            say(t.native_id, frames_of(now[t.ident]))


def start(function):
    t = threading.Thread(target=function, daemon=True)
    t.start()
    return t


def settle():
    """Until every other thread sleeps, and has done so for a while."""
    time.sleep(1)


def child(ready):
    libc.prctl(1, 9)  # PR_SET_PDEATHSIG: dies with the parent
    start(deep)
    settle()
    truth(skip=[threading.get_ident()])
    say(threading.get_native_id(), frames_of(sys._getframe())), ready.set(), time.sleep(FOREVER)


def hold_gil():
    buf = ctypes.create_string_buffer(1)
    say(threading.get_native_id(), frames_of(sys._getframe()), gil=True), print("stands", flush=True), locked.read(0, buf, 1)
    os._exit(0)


def bare_child():
    """fork(2) without Python's knowledge, from the main thread."""
    pid = locked.fork() if mode == "fork" else locked.syscall(57)
    if pid == 0:
        libc.prctl(1, 9)
        say(os.getpid(), frames_of(sys._getframe()), bare=True), locked.pause()


def sub_interpreter():
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            return
    which = interpreters.create()
    run = getattr(interpreters, "run_string")
    run(which, "import time\ntime.sleep(%d)\n" % FOREVER)


def main():
    out, sys.stdout = sys.stdout, open(os.devnull, "w")
    for case in CASES:
        start(case)
    sys.stdout = out
    print("pid=%d" % os.getpid(), flush=True)
    if mode in ("fork", "syscall"):
        settle()
        bare_child()
    if mode == "sub":
        start(sub_interpreter)
    if mode == "gil":
        start(wants_gil)
        start(wants_gil)
    if mode == "plain":
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        context.Process(target=child, args=(ready,), daemon=True).start()
        ready.wait()
    settle()
    truth(skip=[threading.get_ident()])
    if mode == "gil":
        hold_gil()
    # On one line: the truth about a thread that is not to move again.
    say(threading.get_native_id(), frames_of(sys._getframe())), print("stands", flush=True), os.read(0, 1)
    os._exit(0)


main()
