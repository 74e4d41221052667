#!/bin/sh
# A child that the kernel really kills for want of memory, in a control group with a small limit; its
# parent waits for data that no one will send.  The same without the limit is fine.
. tests/lib/live.sh

v1=$(awk '$(NF - 2) == "cgroup" && $NF ~ /(^|,)memory(,|$)/ { print $5; exit }' /proc/self/mountinfo)
v2=$(awk '$(NF - 2) == "cgroup2" { print $5; exit }' /proc/self/mountinfo)
group=${v1:-$v2}/nh-memory-$$
mkdir "$group" 2>/dev/null || { echo "cannot make a control group here" && exit 77; }
trap 'kill $children; rm -rf "$tmp"; soon rmdir "$group"' EXIT
limited() {
	if [ -e "$group/memory.limit_in_bytes" ]; then
		echo 67108864 >"$group/memory.limit_in_bytes"
	else
		echo 67108864 >"$group/memory.max" && echo 0 >"$group/memory.swap.max"
	fi
} 2>/dev/null
limited || { echo "cannot limit memory here" && exit 77; }

# The parent has the pipe's writing end itself, so that the child's end is not seen; it joins the
# group, and is the last one there to be killed.
begin() { # NAME GROUP
	start "$1" "$python" -c '
import os, sys, threading
if sys.argv[1]:
	open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
	open("/proc/self/oom_score_adj", "w").write("-999")
r, w = os.pipe()
child = os.fork()
if not child:
	if sys.argv[1]:
		open("/proc/self/oom_score_adj", "w").write("1000")
	some = [bytearray(1 << 20) for i in range(120)]
	os.write(w, b"x")
	os.read(0, 1)
	os._exit(0)
if not sys.argv[1]:
	os.read(r, 1)
print(f"pid={os.getpid()} child={child}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
os.read(r, 1)
' "$2"
}
begin killed "$group"
begin healthy ""
child=$(value killed child)
killed() { grep -q '^State:.*Z' "/proc/$child/status"; }
check "the kernel killed the child" soon killed
look killed "$(value killed pid)"
look healthy "$(value healthy pid)"
looked

first='next(x for x in fs if x.id == "out-of-memory")'
check "killed: it ran out of memory" exits killed 1
check "killed: the child is the culprit" tells killed "$first.culprit.pid == $child"
check "killed: one story" tells killed "len(fs) == 1"
check "killed: nothing hangs but for that" tells killed "v.status == 'problem'"
check "killed: the parent is the victim" tells killed \
	"any(x.pid == $(value killed pid) for x in $first.victims)"
check "killed: how it ended is read" tells killed "any(p.pid == $child and p.exit_code == 9
	for p in rows('processes'))"
check "killed: the limit is told" tells killed "'64.00 MiB' in $first.title"
if [ -r /dev/kmsg ]; then
	check "killed: by the kernel's log" tells killed "$first.confidence == 'likely' and
		any('Killed process $child' in e for e in $first.evidence)"
else
	skip "killed: by the kernel's log" "/dev/kmsg cannot be read here"
fi
# What the launcher wrote of it is the same story.
mkdir "$tmp/story"
cp "$tmp/killed.json" "$tmp/story/"
echo "E1130 12:00:00.000000 7 torch/distributed/elastic/multiprocessing/api.py:869] failed" \
	"(exitcode: -9) local_rank: 1 (pid: $child) of binary: /usr/bin/python3" >"$tmp/story/torchrun.log"
run_look story "$nh" report -f json "$tmp/story"
looked
check "with the launcher's log: one story" tells story "len(fs) == 1 and f.id == 'out-of-memory' and
	c.pid == $child and any('torchrun.log' in e for e in f.evidence)"
check "healthy: nothing found" finds_nothing healthy
done_testing
