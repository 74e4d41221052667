#!/usr/bin/env python3
"""Flight-recorder dumps of made-up jobs, encoded as PyTorch's C++ pickler does.

usage: flight.py DIR              every scene as DIR/SCENE/nccl_trace_rank_N
       flight.py DIR RANKS STEPS  one large dump set, for measuring
"""
import json
import os
import pickle
import struct
import sys

T0 = 1_795_980_000_000_000_000
STEPS = 20


class Pickler:
    """Protocol 2, no classes; strings and frames memoised, containers after they were filled."""

    def __init__(self):
        self.out, self.memo = bytearray(b"\x80\x02"), {}

    def put(self, key):
        i = self.memo[key] = len(self.memo)
        self.out += b"q" + bytes([i]) if i < 256 else b"r" + struct.pack("<I", i)

    def get(self, key):
        i = self.memo[key]
        self.out += b"h" + bytes([i]) if i < 256 else b"j" + struct.pack("<I", i)

    def integer(self, v):
        if 0 <= v < 1 << 8:
            self.out += b"K" + bytes([v])
        elif 0 <= v < 1 << 16:
            self.out += b"M" + struct.pack("<H", v)
        elif -1 << 31 <= v < 1 << 31:
            self.out += b"J" + struct.pack("<i", v)
        else:
            self.out += b"\x8a\x08" + struct.pack("<q", v)

    def dict(self, v):
        frame = tuple(v.items()) if "filename" in v else None
        if frame in self.memo:
            return self.get(frame)
        self.out += b"}("
        for key, value in v.items():
            self.value(key)
            self.value(value)
        self.out += b"u"
        if frame:
            self.put(frame)

    def value(self, v):
        if v is None:
            self.out += b"N"
        elif isinstance(v, bool):
            self.out += b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            self.integer(v)
        elif isinstance(v, float):
            self.out += b"G" + struct.pack(">d", v)
        elif isinstance(v, str):
            if v in self.memo:
                return self.get(v)
            self.out += b"X" + struct.pack("<I", len(v.encode())) + v.encode()
            self.put(v)
        elif isinstance(v, dict):
            self.dict(v)
        elif isinstance(v, tuple):
            self.value(v[0])
            self.value(v[1])
            self.out += b"\x86"
        else:
            self.out += b"]("
            for item in v:
                self.value(item)
            self.out += b"e"


def pickled(v):
    p = Pickler()
    p.value(v)
    return bytes(p.out + b".")


FRAMES = {
    "step": [
        {"name": "all_reduce", "filename": "/usr/lib/torch/distributed/distributed_c10d.py", "line": 3906},
        {"name": "step", "filename": "/app/train.py", "line": 71},
        {"name": "<module>", "filename": "/app/train.py", "line": 99},
    ],
    "log": [{"name": "log_loss", "filename": "/app/train.py", "line": 88}],
}


class Rank:
    """What one rank recorded; groups: name → (desc, members)."""

    def __init__(self, rank, groups, timing=True):
        self.rank, self.timing, self.entries, self.status = rank, timing, [], {}
        self.groups = {n: g for n, g in groups.items() if rank in g[1]}
        self.seq = dict.fromkeys(self.groups, 0)
        self.p2p_seq = dict.fromkeys(self.groups, 0)
        self.time = T0 + rank * 100_000

    def op(self, group="0", name="all_reduce", size=4096, out=None, dtype="Float", done=True,
           started=True, wait=30.0, late=0, frames="step", retired=None, p2p=None, bump=True):
        p2p = name.startswith(("send", "recv")) if p2p is None else p2p
        seqs = self.p2p_seq if p2p else self.seq
        seqs[group] += bump
        self.time += 50_000_000
        pg_id = list(self.groups).index(group)
        created = self.time + late
        started = started and self.timing
        e = {
            "frames": FRAMES[frames], "record_id": len(self.entries), "pg_id": pg_id,
            "process_group": (group, self.groups[group][0]),
            "collective_seq_id": self.seq[group], "p2p_seq_id": self.p2p_seq[group],
            "op_id": len(self.entries) + 1, "profiling_name": "nccl:" + name,
            "time_created_ns": created,
        }
        if done and self.timing:
            e["duration_ms"] = wait
        state = "completed" if done else "started" if started else "scheduled"
        e |= {
            "input_sizes": [[size]], "input_dtypes": [dtype],
            "output_sizes": [[size if out is None else out]], "output_dtypes": [dtype], "state": state,
            "time_discovered_started_ns": created + 1_000_000 if started or done else None,
            "time_discovered_completed_ns": created + 40_000_000 if done else None,
            "retired": done if retired is None else retired, "timeout_ms": 600000, "is_p2p": p2p,
        }
        self.entries.append(e)
        s = self.status.setdefault(str(pg_id), dict.fromkeys(
            ("last_enqueued_collective", "last_started_collective", "last_completed_collective"), -1))
        if not p2p:
            s["last_enqueued_collective"] = self.seq[group]
            if self.timing and started:
                s["last_started_collective"] = self.seq[group]
            if done:
                s["last_completed_collective"] = self.seq[group]
        return self

    def batch(self, *ops, done=True, group="0"):
        """Coalesced operations: one number for all, and only the entry that ends them gets on."""
        for i, op in enumerate(ops):
            self.op(group, started=False, done=False, bump=not i, **op)
            del self.entries[-1]["time_discovered_completed_ns"]
        self.op(group, name="coalesced", p2p=self.entries[-1]["is_p2p"], bump=False, done=done)
        self.entries[-1] |= {"input_sizes": [], "input_dtypes": [], "output_sizes": [], "output_dtypes": []}
        return self

    def steps(self, n=STEPS, group="0", **more):
        for _ in range(n):
            self.op(group, **more)
            self.op(group, name="_all_gather_base", frames="log", **more)
        return self

    def dump(self, version="2.10"):
        d = {"version": version, "pg_config": {
            n: {"name": n, "desc": desc, "ranks": str(members)}
            for n, (desc, members) in self.groups.items()}}
        d["pg_status"], d["entries"] = self.status, self.entries
        return d


def old(d, version):
    """The same dump as an older PyTorch wrote it."""
    for e in d["entries"]:
        e["seq_id"] = e.pop("collective_seq_id")
        for key in "process_group p2p_seq_id is_p2p timeout_ms input_dtypes output_dtypes".split():
            del e[key]
        if version != "1.4":
            del e["record_id"], e["op_id"]
    if version == "list":
        return d["entries"]
    new = {"version": version, "entries": d["entries"]}
    if version == "1.4":
        new["pg_config"] = {0: json.loads(d["pg_config"]["0"]["ranks"])}
    return new


ALL = {"0": ("default_pg", [0, 1, 2, 3])}


def every(f, groups=None, n=4, **more):
    """One rank each, f(rank object)."""
    ranks = []
    for r in range(n):
        ranks.append(Rank(r, groups or ALL, **more))
        f(ranks[-1])
    return ranks


def last(culprit, ours, theirs=None, **more):
    """Steps, then one more operation: `theirs` (None: nothing) on the culprit, `ours` elsewhere."""
    def f(r):
        r.steps()
        mine = theirs if r.rank == culprit else ours
        if mine is not None:
            r.op(**{"done": False, **mine})
    return every(f, **more)


def scenes():
    dumps = lambda ranks, **more: {r.rank: r.dump(**more) for r in ranks}
    s = {}
    s["type0"] = dumps(last(0, {}, {"name": "broadcast"}))
    s["missing0"] = dumps(last(0, {}))
    s["size"] = dumps(last(2, {}, {"size": 4097}))
    s["dtype"] = dumps(last(2, {}, {"dtype": "Half"}))
    s["notiming"] = dumps(last(2, {}, timing=False))
    s["notiming-all-there"] = dumps(last(2, {}, {}, timing=False))
    s["timed-out"] = dumps(last(2, {"retired": True}, {"retired": True}))
    s["tie"] = dumps(every(lambda r: r.steps().op(
        name="broadcast" if r.rank > 1 else "all_reduce", done=False)))
    s["two-missing"] = dumps(every(lambda r: r.steps().op(done=False) if r.rank < 2 else r.steps()))
    s["alone"] = dumps(every(lambda r: r.steps().op(done=False) if r.rank == 0 else r.steps()))

    line = {"0": ("default_pg", [0, 1, 2, 3]), "1": ("a", [0, 1]), "2": ("b", [1, 2]), "3": ("c", [2, 3])}
    s["chain"] = dumps(every(lambda r: r.steps().op(str(r.rank + 1), done=False) if r.rank < 3
                             else r.steps(), line))
    pair = {"0": ("default_pg", [0, 1]), "1": ("a", [0, 1]), "2": ("b", [0, 1])}
    s["cycle"] = dumps(every(lambda r: r.steps().op("12"[r.rank], done=False), pair, n=2))

    s["off"] = dumps(last(2, {}))
    s["off"][2]["entries"] = []
    s["off-nothing"] = dumps(last(2, {}))
    del s["off-nothing"][2]["entries"], s["off-nothing"][2]["pg_status"]
    s["all-off"] = dumps(last(2, {}))
    for d in s["all-off"].values():
        del d["entries"], d["pg_status"]
    s["wrapped-behind"] = dumps(last(2, {}))
    s["wrapped-ahead"] = dumps(last(2, {}, {}))
    ahead = Rank(2, ALL).steps()
    for _ in range(60):
        ahead.op(done=False)
    s["wrapped-ahead"][2] = ahead.dump()
    for scene in "wrapped-behind", "wrapped-ahead":
        del s[scene][2]["entries"][:-10]
    s["stale"] = dumps(last(2, {}))
    s["stale"][2] = Rank(2, ALL).steps(STEPS // 2).op(done=False).dump()
    s["other-run"] = dumps(last(2, {}))
    early = Rank(2, ALL)
    early.time -= 3600 * 10**9
    s["other-run"][2] = early.steps().dump()
    s["half-dumped"] = dumps(last(9, {}))
    del s["half-dumped"][2], s["half-dumped"][3]

    def pipeline(r):  # 3 computes, 0 to 2 wait for the stage behind them
        r.steps()
        if r.rank:
            r.op(name=f"send {r.rank}->{r.rank - 1}")
        if r.rank < 3:
            r.op(name=f"recv {r.rank}<-{r.rank + 1}", done=False)
    s["p2p-chain"] = dumps(every(pipeline))
    s["p2p-size"] = dumps(every(lambda r: r.steps().op(
        name="send 0->1" if r.rank == 0 else "recv 1<-0", size=100 + r.rank, done=False)
        if r.rank < 2 else r.steps()))
    sub = {"0": ("default_pg", list(range(8))), "1": ("pp", [4, 6])}
    s["p2p-local"] = dumps(every(lambda r: r.steps().op("1", name="recv 0<-1", done=False)
                                 if r.rank == 4 else r.steps(), sub, n=8))

    gather = [{"name": "_all_gather_base", "size": n} for n in (8, 16, 32)]
    ring = lambda r, n=4: [{"name": f"send {r}->{(r + 1) % n}"}, {"name": f"recv {r}<-{(r - 1) % n}"}]

    def batches(r):
        for _ in range(STEPS):
            r.steps(1).batch(*gather).batch(*ring(r.rank))
        return r
    s["batch-healthy"] = dumps(every(batches))
    s["batch-missing"] = dumps(every(lambda r: batches(r).batch(*gather, done=False)
                                     if r.rank != 2 else batches(r)))
    s["batch-op"] = dumps(every(lambda r: batches(r).batch(
        *(gather[:2] + [{"name": "reduce_scatter"}] if r.rank == 2 else gather), done=False)))
    s["batch-size"] = dumps(every(lambda r: batches(r).batch(
        *(gather[:2] + [{"name": "_all_gather_base", "size": 33}] if r.rank == 1 else gather), done=False)))
    s["batch-short"] = dumps(every(lambda r: batches(r).batch(
        *(gather[:2] if r.rank == 3 else gather), done=False)))
    s["batch-same"] = dumps(every(lambda r: batches(r).batch(*gather, done=False)))
    s["batch-wrapped"] = dumps(every(lambda r: batches(r).batch(*gather, done=False)))
    del s["batch-wrapped"][2]["entries"][:-3]
    s["batch-p2p"] = dumps(every(lambda r: batches(r).batch(
        *(ring(r.rank) + [{"name": "send 0->1"}] if r.rank == 0 else ring(r.rank)), done=False)))
    s["batch-p2p-size"] = dumps(every(lambda r: batches(r).batch(*ring(r.rank), {
        "name": "send 0->1" if r.rank == 0 else "recv 1<-0", "size": 7 + r.rank}, done=False)
        if r.rank < 2 else batches(r).batch(*ring(r.rank), done=False)))

    shares = [(10, 40), (20, 30), (30, 20), (40, 10)]
    a2a = lambda r, **more: r.op(name="all_to_all", size=shares[r.rank][0], out=shares[r.rank][1], **more)
    s["a2a"] = dumps(every(lambda r: a2a(a2a(r.steps()).steps())))
    s["a2a-waits"] = dumps(every(lambda r: a2a(r.steps(), done=False)))
    s["a2a-total"] = dumps(every(lambda r: a2a(r.steps(), done=False)))
    s["a2a-total"][1]["entries"][-1]["output_sizes"] = [[31]]
    s["a2a-total-2.2"] = {r: d | {"version": "2.2"} for r, d in s["a2a-total"].items()}
    s["a2a-total-absent"] = {r: d for r, d in s["a2a-total"].items() if r != 3}
    s["straggler"] = dumps(every(lambda r: r.steps(wait=2.0 if r.rank == 0 else 30.0 + r.rank)))
    s["late"] = dumps(every(lambda r: r.steps(late=30_000_000 if r.rank == 1 else 0), timing=False))

    def uneven(r):
        for i in range(STEPS):
            r.steps(1, wait=2.0 if r.rank == i % 4 else 30.0)
    s["uneven"] = dumps(every(uneven))
    s["healthy"] = dumps(every(lambda r: r.steps()))
    for version in "list", "1.1", "1.4":
        s["format-" + version] = {r: old(d, version) for r, d in dumps(last(2, {})).items()}
    s["format-2.4"] = dumps(last(2, {}), version="2.4")
    return s


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def no_none(d):
    """As the JSON variant: no frames, None is 0, status numbers are strings."""
    for e in d["entries"]:
        e.pop("frames", None)
        e |= {k: 0 for k, v in e.items() if v is None}
    d["pg_status"] = {k: {n: str(i) for n, i in v.items()} for k, v in d["pg_status"].items()}
    return d


def main():
    root = sys.argv[1]
    if len(sys.argv) > 2:
        n, steps = int(sys.argv[2]), int(sys.argv[3])
        for r in range(n):
            one = Rank(r, {"0": ("default_pg", list(range(n)))}).steps(steps)
            write(f"{root}/nccl_trace_rank_{r}", pickled((one if r == 2 else one.op(done=False)).dump()))
        return
    for scene, ranks in scenes().items():
        for r, d in ranks.items():
            write(f"{root}/{scene}/nccl_trace_rank_{r}", pickled(d))
    for r, d in scenes()["missing0"].items():
        write(f"{root}/protocol4/collector.host07_dump_{r}.pkl", pickle.dumps(d, 4))
        write(f"{root}/protocol2/nccl_trace_rank_host_0{r}", pickle.dumps(d, 2))
        write(f"{root}/json/rank_{r}.json", json.dumps(no_none(d)).encode())


if __name__ == "__main__":
    main()
