#!/usr/bin/env python3
"""What a whole host costs: 8 ranks of 100 Python threads each and 64 workers, one rank out of line.

Every rank's main thread waits for rank 0 over a socket, every worker for its pipe.  Medians of wall
time beyond the interval between the samples, CPU time and memory: live, and from the stored case.
Then what the edges of one native process of 300 threads cost.
Usage: bench_host.py NCCLHANG BENCH_EDGES PROBE
"""
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

RANKS, THREADS, WORKERS, ROUNDS = 8, 100, 8, 5


def rank(number, port):
    """Started as a process of its own: never returns."""
    stop = threading.Event()
    for _ in range(THREADS - 1):
        threading.Thread(target=stop.wait, daemon=True).start()
    for _ in range(WORKERS):
        r, w = os.pipe()
        if not os.fork():
            os.close(w)
            os.read(r, 1)
            os._exit(0)
        os.close(r)
    if number:
        s = socket.create_connection(("127.0.0.1", port))
        print("stands", flush=True)
        s.recv(1)
    else:
        s = socket.create_server(("127.0.0.1", port), backlog=RANKS)
        print("listens", flush=True)
        held = [s.accept() for _ in range(RANKS - 1)]
        print("stands", flush=True)
        sys.stdin.read(len(held))
    os._exit(0)


def start():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    job = []
    for number in range(RANKS):
        env = dict(os.environ, RANK=str(number), WORLD_SIZE=str(RANKS), LOCAL_RANK=str(number),
                   LOCAL_WORLD_SIZE=str(RANKS), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        job.append(subprocess.Popen([sys.executable, __file__, "--rank", str(number), str(port)],
                                    env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    start_new_session=True))
        if number == 0:
            job[0].stdout.readline()
    for p in job:
        p.stdout.readline()
    return job


def measure(command):
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return ((time.monotonic() - began) * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3,
            usage.ru_maxrss / 1024)


def table(title, interval_ms, command):
    rounds = [measure(command) for _ in range(ROUNDS)]
    wall, cpu, mem = (statistics.median(c) for c in zip(*rounds))
    print(f"  {title:<44}{wall - interval_ms:8.0f} ms wall{cpu:8.0f} ms CPU{mem:7.0f} MB", flush=True)


def native(nh, edges, probe):
    p = subprocess.Popen([probe, "300", "0", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        p.stdout.readline()
        while len(os.listdir(f"/proc/{p.pid}/task")) < 300:
            time.sleep(0.1)
        print("one process of 300 native threads:", flush=True)
        with tempfile.TemporaryDirectory() as tmp:
            case = os.path.join(tmp, "native.json")
            subprocess.run([nh, "-t", "60", "-o", case, str(p.pid)], stdout=subprocess.DEVNULL)
            subprocess.run([edges, case])
    finally:
        p.kill()
        p.wait()


def main():
    nh, edges, probe = sys.argv[1:4]
    job = start()
    pids = [str(p.pid) for p in job]
    try:
        print(f"{RANKS} ranks of {THREADS} Python threads, {RANKS * WORKERS} workers"
              " (wall: beyond the interval):")
        table("all ranks, two samples", 1000, [nh, "-t", "60", *pids])
        table("all ranks, one sample", 0, [nh, "-t", "60", "--interval", "0", *pids])
        table("one rank with its workers, one sample", 0, [nh, "--interval", "0", pids[0]])
        with tempfile.TemporaryDirectory() as tmp:
            case = os.path.join(tmp, "host.json")
            subprocess.run([nh, "-t", "60", "-o", case, *pids], stdout=subprocess.DEVNULL)
            table("the same from its stored case", 0, [nh, "report", case])
            subprocess.run([edges, case])
    finally:
        for p in job:
            os.killpg(p.pid, 9)
            p.wait()
    native(nh, edges, probe)


if sys.argv[1] == "--rank":
    rank(int(sys.argv[2]), int(sys.argv[3]))
main()
