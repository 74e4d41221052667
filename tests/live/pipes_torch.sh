#!/bin/sh
# Waits on the queues of PyTorch's worker processes.
. tests/lib/live.sh

# The distribution's own: where it has PyTorch, python3-torch put it there.
torch=/usr/bin/python3
if ! $torch -c 'import torch.utils.data' 2>/dev/null; then
	skip "a killed worker, idle workers" "no PyTorch in $torch"
	done_testing
	exit
fi
for mode in killed prefetched; do
	start $mode $torch tests/live/pipes_torch.py $mode
done
for mode in killed prefetched; do
	soon says $mode '^child=' || soon says $mode '^child='
	look $mode "$(value $mode pid)"
done
looked
child=$(sed -n 's/^child=//p' "$tmp/killed.out")
check "the queue of a killed worker" tells killed "len(fs) == 1 and f.id == 'dead-peer' and
	f.confidence == 'likely' and c.pid == $child and f.victims[0].pid == $(value killed pid)"
check "a loader that has nothing to do: nothing found" finds_nothing prefetched
done_testing
