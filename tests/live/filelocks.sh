#!/bin/sh
# Locks on files: cycles over them, a holder that is stopped; and holders that may give them back.
. tests/lib/live.sh

hung="cycle ofd self mixed stopped"
healthy="work posix inherit threads"
for mode in $hung $healthy; do
	start "$mode" "$fixtures/filelocks" "$mode" "$tmp/lock-$mode"
done
for mode in $hung $healthy; do
	look "$mode" "$(value "$mode" pid)"
done
looked

convicts() { # NAME CONFIDENCE EDGES
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == 'lock-cycle' and
		f.confidence == '$2' and edges == [$3] and
		$(value "$1" pid) in [v.pid for v in f.victims]"
}
file="'wants the file lock of'"
check "cycle: two processes lock two files" convicts cycle confirmed "$file, $file"
check "ofd: by locks of open file descriptions" convicts ofd confirmed "$file, $file"
check "self: by two descriptors of one process" convicts self confirmed "$file"
check "mixed: which thread would unlock is not recorded" convicts mixed likely "$file, $file"
for mode in cycle ofd mixed; do
	check "$mode: the other process is a victim too" \
		tells $mode "$(value $mode second) in [v.pid for v in f.victims]"
done
check "stopped: the holder is the culprit" tells stopped "f.id == 'stopped-process' and
	f.confidence == 'confirmed' and c.pid == $(value stopped second) and
	$(value stopped pid) in [v.pid for v in f.victims]"
for mode in $healthy; do
	check "$mode: nothing found" finds_nothing "$mode"
	check "$mode: the path is read" tells "$mode" \
		"any(l.waiting and l.path == '$tmp/lock-$mode.0' for l in rows('file_locks'))"
done
for mode in work posix; do
	check "$mode: who has it is read" tells "$mode" \
		"any(l.pid == $(value "$mode" second) == l.owner for l in rows('file_locks'))"
done
check "inherit: who has it, and who asked for it" tells inherit "any(l.pid == $(value inherit second)
	and l.owner not in (None, l.pid) and l.fd is not None for l in rows('file_locks'))"
check "inherit: each is recorded once a sample" tells inherit "len(rows('file_locks')) == 4"
"$nh" report "$tmp/inherit.json" | tr -s ' \n' ' ' >"$tmp/inherit.txt"
check "inherit: both are told" grep -q 'which has it from pid' "$tmp/inherit.txt"

# In a pid namespace the kernel leaves out what a process asked for that is not in it.
if unshare -pmf --mount-proc true 2>/dev/null; then
	start box unshare -pmf --mount-proc --kill-child "$fixtures/filelocks" inherit "$tmp/lock-box"
	box=$(cat "/proc/${children##* }/task/${children##* }/children")
	run_look box nsenter -t "${box% }" -p -m "$nh" -f json "$(value box pid)"
	looked
	check "box: nothing found" finds_nothing box
	check "box: who has it is read all the same" tells box "any(l.waiting and l.number is None
		for l in rows('file_locks')) and any(l.pid == $(value box second) and not l.waiting
		for l in rows('file_locks'))"
else
	skip "box: nothing found" "cannot make a pid namespace here"
	skip "box: who has it is read all the same" "cannot make a pid namespace here"
fi
done_testing
