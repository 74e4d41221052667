"""record_proc.py DIR PID HELPER: records two processes as a tree for --root.

No more is taken along than a verdict needs, and nothing that names the machine or its user.  PID is
the one to inspect; its net/ tables hold the rows of recorded sockets only.  What a thread waits for
in memory (futex words, pollfd arrays) goes to PID/memory.  x86_64.
"""

import os
import re
import struct
import sys

READ, POLL, FUTEX = "0", "7", "202"
STATUS = ("Name State Tgid Pid PPid TracerPid Uid NSpid "
          "voluntary_ctxt_switches nonvoluntary_ctxt_switches").split()
ENVIRON = "RANK LOCAL_RANK WORLD_SIZE".split()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def link(src, dst):
    os.makedirs(os.path.dirname(dst), exist_ok=True)
    os.symlink(os.readlink(src), dst)


def trimmed_status(src):
    return b"".join(line for line in read(src).splitlines(True)
                    if line.split(b":")[0].decode() in STATUS)


def record_thread(src, dst, mem, memory):
    for name in ("stat", "comm", "wchan", "syscall"):
        write(f"{dst}/{name}", read(f"{src}/{name}"))
    write(f"{dst}/status", trimmed_status(f"{src}/status"))
    words = read(f"{src}/syscall").decode().split()
    waited = [int(words[1], 16)] if words[0] == READ else []
    if words[0] in (FUTEX, POLL):
        addr = int(words[1], 16)
        mem.seek(addr)
        data = mem.read(4 if words[0] == FUTEX else int(words[2], 16) * 8)
        memory.append(f"{addr:x} {data.hex()}\n")
        if words[0] == POLL:
            waited = [fd for fd, _ in struct.iter_unpack("ii", data) if fd >= 0]
    for fd in waited:
        link(f"{src}/fd/{fd}", f"{dst}/fd/{fd}")


def record(src, dst):
    """One process; returns the inodes of its sockets."""
    write(f"{dst}/stat", read(f"{src}/stat"))
    write(f"{dst}/status", trimmed_status(f"{src}/status"))
    write(f"{dst}/cmdline", read(f"{src}/cmdline"))
    write(f"{dst}/environ", b"".join(e + b"\0" for e in read(f"{src}/environ").split(b"\0")
                                    if e.split(b"=")[0].decode() in ENVIRON))
    write(f"{dst}/cgroup", b"0::/\n")
    write(f"{dst}/maps", b"".join(line for line in read(f"{src}/maps").splitlines(True)
                                 if b"/memfd:" in line))
    for name in ("exe", "ns/pid", "ns/net", "ns/mnt"):
        link(f"{src}/{name}", f"{dst}/{name}")
    for fd in os.listdir(f"{src}/fd"):
        target = os.readlink(f"{src}/fd/{fd}")
        if target.split(":")[0] in ("socket", "pipe"):
            link(f"{src}/fd/{fd}", f"{dst}/fd/{fd}")
    memory = []
    with open(f"{src}/mem", "rb", buffering=0) as mem:
        for tid in os.listdir(f"{src}/task"):
            record_thread(f"{src}/task/{tid}", f"{dst}/task/{tid}", mem, memory)
    write(f"{dst}/memory", "".join(memory).encode())
    return {m.group(1) for fd in os.listdir(f"{dst}/fd")
            if (m := re.match(r"socket:\[(\d+)\]", os.readlink(f"{dst}/fd/{fd}")))}


def record_net(src, dst, inodes):
    for name, column in (("tcp", 9), ("tcp6", 9), ("unix", 6)):
        head, *rows = read(f"{src}/net/{name}").decode().splitlines(True)
        write(f"{dst}/net/{name}", (head + "".join(
            row for row in rows if row.split()[column] in inodes)).encode())


def main():
    out, *pids = sys.argv[1:]
    inodes = set()
    for pid in pids:
        inodes |= record(f"/proc/{pid}", f"{out}/{pid}")
    record_net(f"/proc/{pids[0]}", f"{out}/{pids[0]}", inodes)
    write(f"{out}/sys/kernel/random/boot_id", b"00000000-0000-0000-0000-000000000000\n")
    write(f"{out}/recorded", "pid={} helper={}\n".format(*pids).encode())


main()
