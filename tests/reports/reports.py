#!/usr/bin/env python3
"""Every public report of shapes.py: does the verdict name what its thread found out?

TAP: of the reports with a stack and an established cause nine in ten must agree, of the others eight
in ten, and nothing that only looked hung may be convicted.
--table prints what each came to, --write DIR the cases.  Usage: reports.py NCCLHANG [OPTION]
"""
import io
import json
import os
import subprocess
import sys

from host import Host
from shapes import REPORTS

CLASSES = {
    "A": ["nccl-teardown-held-socket"], "B": ["nccl-teardown-peer-rank"],
    "C": ["nccl-teardown-cuda", "nccl-teardown-graph", "nccl-teardown-progress"],
    "D": ["collective-wait", "rank-missing", "dead-peer"], "E": ["cpu-stall"],
    "F": ["collective-mismatch"], "G": ["store-wait", "nccl-init-wait"],
    "H": ["fork-inherited-lock"], "I": ["filesystem-stall"], "J": ["interpreter-exit"],
    "K": ["held-pipe"], "L": ["gil-deadlock"], "M": ["out-of-memory"], "N": ["driver-stall"],
    "O": ["zombie-leader"], "Q": ["cuda-lock"], "R": ["stale-lock-file"], "S": ["dead-peer"],
    "T": ["nccl-stray-client"], None: [],
}


def verdict(nh, case):
    r = subprocess.run([nh, "report", "-f", "json", "-"], input=case, capture_output=True, text=True)
    if r.returncode not in (0, 1, 2):
        return r.returncode, [], r.stderr
    v = json.loads(r.stdout.splitlines()[0])["verdict"]
    return r.returncode, [(f["id"], f["confidence"]) for f in v.get("findings", [])], v["status"]


def main():
    nh, options = sys.argv[1], sys.argv[2:]
    counts = {True: [0, 0], False: [0, 0]}  # gold: how many, how many of them agree
    n = 0
    for id, kind, gold, build in REPORTS:
        host = Host()
        build(host)
        out = io.StringIO()
        host.write(out, id)
        if options[:1] == ["--write"]:
            name = id.replace("/", "-").replace("#", "-")
            with open(os.path.join(options[1], name + ".json"), "w", encoding="utf-8") as f:
                f.write(out.getvalue())
            continue
        rc, found, status = verdict(nh, out.getvalue())
        what = ", ".join(" ".join(f) for f in found) or "-"
        if kind is None:
            good = rc == 0 and not found
        else:
            good = rc == 1 and bool(found) and found[0][0] in CLASSES[kind]
            counts[gold][0] += 1
            counts[gold][1] += good
        if options == ["--table"]:
            print(f"{id:36} {kind or '-':2} {'gold' if gold else '':5} {'agrees' if good else 'no':7}"
                  f" {status}: {what}")
        elif kind is None or rc not in (0, 1, 2):
            n += 1
            print(f"{'ok' if good else 'not ok'} {n} - {id} only looked hung: {what}")
        else:
            print(f"# {id}, {kind}: {'agrees' if good else 'no'}: {what}")
    for gold, least in (True, 0.9), (False, 0.8):
        total, agree = counts[gold]
        n += 1
        which = "with an established cause" if gold else "others"
        if not options:
            print(f"{'ok' if agree >= least * total else 'not ok'} {n} - {agree} of {total} {which} agree")
    if not options:
        print(f"1..{n}")


if __name__ == "__main__":
    main()
