"""python_truth.py CASE OUTPUT: whether a case's Python stacks are what python_cases.py said.

Prints nothing if so, else every difference.
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as case:
    lines = [json.loads(line) for line in case]
with open(sys.argv[2], encoding="utf-8") as output:
    truths = [json.loads(line) for line in output if line.startswith("{")]


def rows(table):
    return [row for line in lines for row in line.get(table) or []]


stacks = {s["stack"]: s for s in rows("stacks")}
threads = {(t["pid"], t["nstid"]): t for t in rows("threads") if t.get("stack") is not None}
read = {pid for pid, _ in threads}
nspid = {(p.get("nspid") or [p["pid"]])[-1]: p["pid"] for p in rows("processes") if p["pid"] in read}
wrong = 0


def differ(truth, *what):
    global wrong
    wrong += 1
    print("pid", truth["pid"], "tid", truth["tid"], *what)


for truth in truths:
    thread = threads.get((nspid.get(truth["pid"]), truth["tid"]))
    if not thread:
        differ(truth, "has no stack")
        continue
    stack = stacks[thread["stack"]]
    python = [f for f in stack["frames"] if f.get("python")]
    frames = [[f["func"], f["file"], f["line"]] for f in python]
    if truth["frames"][0][0] == "sub_interpreter" and frames[0][0] == "<module>":
        frames = frames[1:]  # of the sub-interpreter; the main one does not know them
    if frames != truth["frames"]:
        differ(truth, "frames", frames, "should be", truth["frames"])
    if stack.get("python"):
        differ(truth, stack["python"])
    if not stack.get("complete"):
        differ(truth, "is not complete:", stack.get("why"))
    if any(f.get("func") == "_PyEval_EvalFrameDefault" for f in stack["frames"]):
        differ(truth, "has frames of the interpreter left")
    if not frames or stack["frames"][0].get("python") or stack["frames"][-1].get("python"):
        differ(truth, "does not begin and end with native frames")
if not truths:
    print("no truth in", sys.argv[2])
sys.exit(wrong > 0 or not truths)
