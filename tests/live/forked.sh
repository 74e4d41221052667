#!/bin/sh
# What a fork left locked where the lock has no owner in memory, pools whose threads were not copied;
# and children that mean to wait, or may be woken.
. tests/lib/live.sh

hung="heap word pool"
healthy="idle timed handler shared exec"
for mode in $hung rwlock $healthy; do
	start "$mode" "$fixtures/forked" "$mode"
done
for mode in lock event; do
	start "py$mode" "$python" tests/live/fork_cases.py $mode
done
sleep 0.2
for mode in $hung rwlock $healthy pylock pyevent; do
	look "$mode" "$(value "$mode" pid)"
done
looked

convicts() { # NAME CONFIDENCE
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == 'fork-inherited-lock' and
		f.confidence == '$2' and c.pid == $(value "$1" pid) and
		f.victims[0].pid == $(value "$1" pid)"
}
for mode in $hung pylock; do
	check "$mode: a lock that nobody can release" convicts "$mode" likely
	check "$mode: its parent's threads are evidence" \
		tells "$mode" "any(' threads; a fork copies' in e for e in f.evidence)"
done
check "heap: the allocator is named" tells heap '"allocator'"'"'s lock" in f.chain[0].fact'
check "pool: so are OpenMP's threads" tells pool "'OpenMP' in f.title"
check "rwlock: its writer is not here" convicts rwlock confirmed
for mode in $healthy pyevent; do
	check "$mode: nothing found" finds_nothing "$mode"
done
done_testing
