#!/bin/sh
# Waits for other processes in memory they share or in the kernel's queues: told, and convicted only
# where two want what the other has.
. tests/lib/live.sh

modes="named memory robust set queue"
for mode in cycle $modes; do
	start "$mode" "$fixtures/sharedmem" "$mode"
done
sleep 0.5
for mode in cycle $modes; do
	look "$mode" "$(value "$mode" pid)"
done
looked

says_words() { # NAME WORDS
	"$nh" report "$tmp/$1.json" | tr -s ' \n' '  ' >"$tmp/$1.words"
	grep -q -- "$2" "$tmp/$1.words" && return
	sed 's/^/# /' "$tmp/$1.words" | cut -c 1-2000
	return 1
}
for mode in $modes; do
	check "$mode: nothing found" finds_nothing "$mode"
done
for mode in named memory robust; do
	check "$mode: the memory is read, and who else maps it" tells "$mode" \
		"sorted((m.pid, m.tid) for m in rows('shared_maps') if m.tid or
		m.pid != $(value $mode pid)) == sorted([($(value $mode pid), $(value $mode pid)),
		($(value $mode other), None)])"
done
check "named: a semaphore by its name" says_words named \
	'semaphore, no timeout, in shared memory /dev/shm/[^ ]* (deleted), which also map: pid'
check "set: which set" says_words set "semaphore set $(value set set): who posts"
check "queue: which queue" says_words queue "message queue $(value queue queue): who sends"
check "cycle: two processes want each other's mutex" tells cycle "f.id == 'lock-cycle' and
	f.confidence == 'confirmed' and edges == ['wants the lock of', 'wants the lock of'] and
	sorted(v.pid for v in f.victims) == sorted([$(value cycle pid), $(value cycle other)])"
done_testing
