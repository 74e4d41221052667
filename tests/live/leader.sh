#!/bin/sh
# A process whose main thread has ended while others wait for nothing that can come; and such a
# process that is meant to be so.
. tests/lib/live.sh

for mode in waits cycle serves works; do
	start "$mode" "$fixtures/leader" "$mode"
	soon grep -q '^State:.*Z' "/proc/$(value "$mode" child)/status"
	sleep 0.1
	look "$mode" "$(value "$mode" pid)"
done
looked

check "waits: the process without a main thread" exits waits 1
check "waits: is the culprit" tells waits "len(fs) == 1 and f.id == 'zombie-leader' and
	f.confidence == 'likely' and c.pid == $(value waits child)"
check "waits: its threads and its parent are the victims" tells waits "len(f.victims) == 3 and
	any(x.pid == $(value waits pid) for x in f.victims)"
check "cycle: the locks explain it" tells cycle "len(fs) == 1 and f.id == 'lock-cycle'"
check "cycle: the other is mentioned" tells cycle "any('zombie-leader' in e for e in f.evidence)"
for mode in serves works; do
	check "$mode: nothing found" finds_nothing $mode
done
done_testing
