#!/bin/sh
# Locks that will never be free: a cycle, one's own, one that a fork left locked; and the shapes that
# only look so.
. tests/lib/live.sh

hung="cycle robust join self fork rwcycle"
healthy="busy recursive shared pool readers"
for mode in $hung $healthy; do
	start "$mode" "$fixtures/locks" "$mode"
	sleep 0.1
	look "$mode" "$(value "$mode" pid)"
done
look once --interval 0 "$(value cycle pid)"
looked

convicts() { # NAME ID CONFIDENCE
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == '$2' and f.confidence == '$3' and
		c.pid == $(value "$1" pid) and f.victims[0].pid == $(value "$1" pid)"
}
both() { echo "sorted(v.tid for v in f.victims) == sorted([$(value "$1" first), $(value "$1" second)])"; }
for mode in cycle robust join self rwcycle; do
	check "$mode: a cycle of locks" convicts $mode lock-cycle confirmed
done
for mode in cycle robust join rwcycle; do
	check "$mode: both threads are its victims" tells $mode "$(both $mode)"
done
check "cycle: each wants the other's lock" \
	tells cycle "edges == ['wants the lock of', 'wants the lock of']"
check "join: one joins, the other wants the lock" \
	tells join "sorted(edges) == ['joins', 'wants the lock of']"
check "rwcycle: the read-write lock names its writer" \
	tells rwcycle "any('read-write lock at' in l.fact for l in f.chain)"
check "self: one arrow, to itself" tells self "len(f.chain) == 1 and f.chain[0]['from'] == f.chain[0].to"
check "one sample: likely" \
	tells once "f.id == 'lock-cycle' and f.confidence == 'likely' and c.pid == $(value cycle pid)"
check "fork: an inherited lock" convicts fork fork-inherited-lock confirmed
check "fork: the owner is told to be the parent's thread" \
	tells fork "any('TID $(value fork second) is a thread of its parent' in e or
		'TID $(value fork second) is no thread' in e for e in f.evidence)"
for mode in $healthy; do
	check "$mode: nothing found" finds_nothing "$mode"
done
check "readers: how many there are is read" \
	tells readers "any((t.rwlock or [0])[1:2] == [10] for t in rows('threads'))"
done_testing
