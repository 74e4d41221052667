#!/usr/bin/env python3
"""What the stacks of a big process cost: 304 threads, 5,000 descriptors, 64 children.

Rounds are interleaved; medians of wall and CPU time, the most memory used, and what the target felt:
the longest time it was kept from running, and calls that returned EINTR.  Usage:
bench_stacks.py NCCLHANG PROBE
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

nh, probe = sys.argv[1:3]
ROUNDS = 5


def start(*args):
    p = subprocess.Popen([probe, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return p, dict(kv.split("=") for kv in p.stdout.readline().split())["pid"]


def felt(p):
    p.stdin.write("\n")
    p.stdin.flush()
    return dict(kv.split("=") for kv in p.stdout.readline().split())


def measure(p, command):
    felt(p)
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    after = felt(p)
    return (wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024,
            int(after["longest_us"]) / 1e3, int(after["interrupted"]))


def table(title, p, commands):
    rounds = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            rounds[name].append(measure(p, command))
    print(title)
    base = statistics.median(r[0] for r in rounds["ncclhang"])
    for name, r in rounds.items():
        wall, cpu, mem, freeze, eintr = (statistics.median(c) for c in zip(*r))
        print(f"  {name:<22}{wall:8.0f} ms wall{cpu:8.0f} ms CPU{mem:7.0f} MB"
              f"{freeze:8.1f} ms longest freeze{eintr:5.0f} EINTR{wall / base:8.1f} x")


def commands(pid):
    all_ = {"ncclhang": [nh, "--interval", "0", "-a", pid],
            "ncclhang --consistent": [nh, "--interval", "0", "--consistent", "-a", pid]}
    if shutil.which("gdb"):
        all_["gdb"] = ["gdb", "-nx", "-batch", "-p", pid, "-ex", "thread apply all bt"]
    if shutil.which("eu-stack"):
        all_["eu-stack"] = ["eu-stack", "-p", pid]
    return all_


p, pid = start("300", "5000", "64")
table("304 threads, 5,000 descriptors, 64 children (x = wall time against ncclhang's):", p,
      commands(pid))
p.stdin.close()
p.wait()

torch = "import torch, sys; print(sys.argv[0]); sys.stdin.read()"
t = subprocess.Popen([sys.executable, "-c", torch], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                     stderr=subprocess.DEVNULL)
if t.stdout.readline():
    idle, _ = start()
    table("a PyTorch process:", idle, commands(str(t.pid)))
    idle.stdin.close()
else:
    print("no PyTorch here (python3-torch): that part is left out")
t.stdin.close()
