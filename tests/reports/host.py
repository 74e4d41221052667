"""A host as a case describes it, put together by hand: processes, threads, what they wait in.

Public reports tell stacks and circumstances, not system calls; what a shape says beyond them is the
state that such a stack is in (a futex call for a lock, a poll call for a poll).  Both samples are the
same unless a thread is said to move.
"""
import json
import zlib

NR = {"futex": 202, "poll": 7, "read": 0, "wait4": 61, "recvfrom": 45, "connect": 42, "accept": 43,
      "nanosleep": 35, "clock_nanosleep": 230, "openat": 257, "ioctl": 16, "newfstatat": 262,
      "epoll_wait": 232, "write": 1, "select": 23, "pwrite64": 18, "ftruncate": 77}
NETNS = 4026531833
MODULES = [("nccl", "libnccl.so.2"), ("Nccl", "libnccl.so.2"), ("comm", "libnccl.so.2"),
           ("c10d", "libtorch_cuda.so"), ("c10", "libc10.so"), ("cuda", "libcudart.so.12"),
           ("cu", "libcuda.so.1"), ("libcuda", "libcuda.so.1"), ("gloo", "libtorch_cpu.so"),
           ("__kmp", "libiomp5.so"), ("at::", "libtorch_cpu.so"), ("absl", "libgrpc.so"),
           ("Py", "libpython3.10.so.1.0"), ("take_gil", "libpython3.10.so.1.0")]


def module_of(function):
    for prefix, module in MODULES:
        if function.startswith(prefix):
            return module
    return "libc.so.6"


class Thread:
    def __init__(self, process, tid, comm, call, args, state, moves, extra):
        self.process, self.tid = process, tid
        self.row = {"pid": process.pid, "tid": tid, "nstid": tid, "start": process.start,
                    "utime": 7, "stime": 3, "vcsw": 40, "nvcsw": 2, "state": state, "comm": comm}
        self.moves = moves
        if call == "running":
            self.row.update(running=True, state="R")
        elif call:
            args = (args + [0] * 6)[:6]
            self.row.update(nr=NR[call], args=[hex(a) for a in args], sp="0x7ffd00001000",
                            pc="0x7f0000001000")
        self.row.update(extra)


class Process:
    def __init__(self, host, pid, comm, ppid, env, cmdline, state, why, extra):
        self.host, self.pid, self.start, self.threads, self.fds = host, pid, 5000 + pid, [], []
        self.row = {"pid": pid, "start": self.start, "ppid": ppid, "pgrp": pid, "session": 900,
                    "uid": 1000, "tracer": 0, "bits": 64, "flags": 4194304, "ns_net": NETNS,
                    "ns_pid": 4026531836, "ns_mnt": 4026531832, "nspid": [pid], "why": why,
                    "state": state, "comm": comm, "cmdline": cmdline or comm,
                    "env": [f"{k}={v}" for k, v in env.items()], "cgroup": "/"}
        self.row.update(extra)

    def thread(self, comm, frames=(), call="futex", args=(), tid=None, state="S", moves=False, **extra):
        """frames: innermost first; "name" is native, "name@file.py:LINE" is Python."""
        tid = tid or (self.pid + len(self.threads))
        t = Thread(self, tid, comm, call, list(args), state, moves, extra)
        if frames:
            t.row["stack"] = self.host.stack(frames)
        self.threads.append(t)
        return t

    def zombie(self, exit_code):
        """The process has ended: a raw wait status."""
        self.row.update(state="Z", exit_code=exit_code, env=[])
        return self.thread(self.row["comm"], call=None, state="Z")

    def locked(self, comm, frames, owner, addr=0x7F5000000100, **extra):
        """Waits for a pthread mutex that the thread of that TID owns."""
        return self.thread(comm, frames, "futex", [addr, 0x80, 2], futex_word=2,
                           mutex=[2, 0, owner, 1, 0], **extra)

    def cond(self, comm, frames, addr=0x7F5000000200, timeout=False, **extra):
        """Waits in a condition variable or semaphore."""
        return self.thread(comm, frames, "futex",
                           [addr, 0x189, 0, 0x7FFD00002000 if timeout else 0, 0, 0xFFFFFFFF],
                           futex_word=0, **extra)

    def joins(self, comm, frames, tid, **extra):
        return self.thread(comm, frames, "futex", [0x7F5000000990, 0x109, tid, 0, 0, 0xFFFFFFFF],
                           futex_word=tid, **extra)

    def polls(self, comm, frames, fds, timeout=-1, slots=None, **extra):
        """fds: a list of (slot, fd)."""
        waits = [{"slot": s, "fd": f, "events": 1} for s, f in fds]
        return self.thread(comm, frames, "poll",
                           [0x7FFD00003000, slots or len(fds), timeout & 0xFFFFFFFF],
                           waits=waits, **extra)

    def reads(self, comm, frames, fd, call="read", **extra):
        return self.thread(comm, frames, call, [fd, 0x7FFD00004000, 4],
                           waits=[{"slot": 0, "fd": fd, "events": 1}], **extra)

    def fd(self, fd, kind, inode=None, mode="rw", path=None):
        row = {"pid": self.pid, "fd": fd, "kind": kind, "mode": mode,
               "flags": {"r": 0, "w": 1, "rw": 2}[mode]}
        if inode:
            row["inode"] = inode
        if path:
            row["path"] = path
        self.fds.append(row)

    def python(self, holder=None, waiters=(), threads=None, version="3.10.12", **extra):
        row = {"pid": self.pid, "id": 0, "version": version, "locked": holder is not None,
               "switches": 4711, "waiters": list(waiters),
               "threads": threads or [t.tid for t in self.threads]}
        if holder is not None:
            row["holder"] = holder
        row.update(extra)
        self.host.interpreters.append(row)


class Host:
    def __init__(self, **header):
        self.header = header
        self.processes, self.stacks, self.sockets, self.interpreters = [], [], [], []
        self.modules, self.more = [], {}
        self.inodes = 70000

    def process(self, pid, comm="python3", ppid=900, env=None, cmdline=None, state="S", why="target",
                **extra):
        p = Process(self, pid, comm, ppid, env or {}, cmdline, state, why, extra)
        self.processes.append(p)
        return p

    def forked(self, pid, parent, **extra):
        """A child of a fork that never called exec (PF_FORKNOEXEC)."""
        return self.process(pid, ppid=parent.pid, why="descendant", flags=0x400040, **extra)

    def rank(self, rank, world, local=None, **extra):
        """A rank's process, as torchrun would start it."""
        env = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": world,
               "LOCAL_WORLD_SIZE": local or world, "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "29500"}
        env.update(extra.pop("env", {}))
        return self.process(2000 + 100 * rank, env=env, cmdline="python3 train.py", **extra)

    def maps(self, p, *names):
        for i, name in enumerate(names):
            self.modules.append({"pid": p.pid, "inode": 500 + len(self.modules),
                                 "base": hex(0x7F1000000000 + (i << 28)),
                                 "end": hex(0x7F1000000000 + (i << 28) + 0x8000000),
                                 "path": f"/usr/lib/{name}"})

    def stack(self, frames):
        out = []
        for f in frames:
            if "@" in f:
                name, place = f.split("@")
                file, line = place.rsplit(":", 1)
                out.append({"python": True, "func": name, "file": file, "line": int(line)})
            else:
                out.append({"func": f, "into": "0x10", "module": module_of(f), "offset": "0x1000"})
        self.stacks.append({"stack": len(self.stacks) + 1, "complete": True, "frames": out})
        return len(self.stacks)

    def inode(self):
        self.inodes += 1
        return self.inodes

    def pipe(self, reader, rfd, writers):
        """writers: a list of (process, fd)."""
        inode = self.inode()
        if reader:
            reader.fd(rfd, "pipe", inode, "r")
        for p, fd in writers:
            p.fd(fd, "pipe", inode, "w")
        return inode

    def tcp(self, ends, state="ESTABLISHED", local="127.0.0.1:34001", remote="127.0.0.1:45001"):
        """ends: one or two lists of (process, fd); the second is the other end's."""
        inodes = []
        for i, holders in enumerate(ends):
            inode = self.inode() if holders is not None else 0
            inodes.append(inode)
            here, there = (local, remote) if i == 0 else (remote, local)
            self.sockets.append({"netns": NETNS, "family": "tcp", "state": state, "inode": inode,
                                 "rx_queue": 0, "tx_queue": 0, "local": here, "remote": there})
            for p, fd in holders or ():
                p.fd(fd, "socket", inode)
        return inodes

    def listener(self, p, fd, local="127.0.0.1:34001"):
        inode = self.inode()
        self.sockets.append({"netns": NETNS, "family": "tcp", "state": "LISTEN", "inode": inode,
                             "rx_queue": 0, "tx_queue": 0, "local": local, "remote": "0.0.0.0:0"})
        p.fd(fd, "socket", inode)

    def rows(self):
        """The case's tables, each row in both samples."""
        def both(rows):
            return [dict(sample=s, **r) for s in (1, 2) for r in rows]

        threads = []
        for s in (1, 2):
            for p in self.processes:
                for t in p.threads:
                    row = dict(sample=s, **t.row)
                    if s == 1:
                        row.pop("stack", None)
                    elif t.moves:
                        # Who waits and wakes gives the CPU away, who spins has it taken.
                        row["nvcsw" if t.row.get("running") else "vcsw"] += 50
                        row["utime"] += 90
                    threads.append(row)
        for p in self.processes:
            p.row.setdefault("nthreads", max(1, len(p.threads)))
            p.row.setdefault("nfds", len(p.fds))
        searched = sorted({f["inode"] for p in self.processes for f in p.fds if "inode" in f})
        samples = [{"sample": s, "at_ms": (s - 1) * 1001, "walked": 40, "unreadable": 0, "fds": 400,
                    "complete": True, "inodes": searched} for s in (1, 2)]
        tables = {"samples": samples, "processes": both([p.row for p in self.processes]),
                  "threads": threads, "fds": both([f for p in self.processes for f in p.fds]),
                  "sockets": both(self.sockets), "modules": self.modules, "stacks": self.stacks,
                  "interpreters": both(self.interpreters)}
        tables.update(self.more)
        return tables

    def write(self, out, name):
        case = f"{zlib.crc32(name.encode()):08x}"
        header = {"schema": 1, "tool": "ncclhang 0.1.0", "host": "host-1", "boot_id": "b",
                  "kernel": "5.15.0", "machine": "x86_64", "taken": "2026-11-30T00:00:00Z",
                  "duration_ms": 1100, "boot_ms": 1790000000000, "uptime_ms": 900000,
                  "ticks_per_s": 100, "selected": True,
                  "asked": [p.pid for p in self.processes if p.row["why"] == "target"]}
        header.update(self.header)
        lines = [header] + [{table: [row]} for table, rows in self.rows().items() for row in rows]
        lines.append({"end": True})
        for n, line in enumerate(lines):
            out.write(json.dumps(dict(case=case, n=n, **line)) + "\n")
