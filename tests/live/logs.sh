#!/bin/sh
# Logs: the first cause is named before its followers, whatever is healthy stays silent, and no line
# is too long.
. tests/lib/live.sh

logs=$PWD/tests/logs
quiet='no-hang - - victims=0 culprit=-'
verdict "a rank raised" 1 'problem out-of-memory likely victims=2 rank=2 victim-ranks=1,3' "$logs/elog_raise"
gone='hang dead-peer likely victims=2 victim-ranks=1,3'
for how in kill exit; do
	verdict "$how: which of the silent ranks is gone, the tree does not tell" 1 "$gone" "$logs/elog_$how"
	text "$logs/elog_$how"
	told "$how: both are named" 'one of ranks 0, 2 wrote no error'
done
verdict "the launcher's output tells" 1 \
	'hang dead-peer likely victims=3 host=node1 pid=4568 rank=2 victim-ranks=0,1,3' \
	"$logs/elog_kill" "$logs/torchrun-kill.log"
text "$logs/elog_kill" "$logs/torchrun-kill.log"
told "by which signal" 'rank 2 was ended by signal 9 (SIGKILL) first; ranks 0, 1, 3 only followed'

verdict "interleaved ranks: memory before timeouts" 1 \
	'problem out-of-memory likely victims=3 host=gpu03 rank=3 victim-ranks=0,1,2' "$logs/oom.log"
text "$logs/oom.log"
told "what was asked for, free and in pieces" '2.50 GiB requested, 1.20 GiB free on the GPU, 70.12 GiB allocated by PyTorch, 5.03 GiB reserved by PyTorch but unallocated, 79.15 GiB the GPU'
told "fragmentation" 'it lies in pieces'
told "the trend of its headroom" 'peak memory of this rank: 70.00 GiB at step 4790, 77.35 GiB at step 4811, headroom then 1.80 GiB'
told "what a crash costs" '311 steps are lost'
told "expandable segments, and that they are experimental" 'experimental'
told "the arithmetic of a gather" '14 GB for 7 billion, 140 GB for 70 billion'
told "what a longer timeout buys" 'raising the timeout buys a longer hang'
told "what NCCL says" 'NCCL WARN socketStartConnect'
verdict "the older form" 1 'problem out-of-memory likely victims=0 rank=1' "$logs/oom-old.log"
"$nh" report -f json "$logs/oom-old.log" | grep -q '"requested":20971520,"free":11272192,"allocated":15569256448,"capacity":16943645982'
passed "its numbers" $?

verdict "only those who waited speak" 1 'hang collective-wait likely victims=3 victim-ranks=0,1,3' "$logs/timeouts.log"
text "$logs/timeouts.log"
told "the silent one is to be looked at" 'rank 2 reported no timeout'
told "operation and number" 'waited in ALLREDUCE, sequence 81 until time ran out'
verdict "a desync report names" 1 'hang rank-missing likely victims=3 rank=2 victim-ranks=0,1,3' "$logs/lagging.log"
verdict "a monitored barrier names" 1 'hang rank-missing likely victims=2 rank=2 victim-ranks=0,1' "$logs/barrier.log"
verdict "the store" 1 'hang store-wait likely victims=1 victim-ranks=1' "$logs/store.log"
verdict "a CUDA error, its peer's NCCL error first in the file" 1 \
	'hang dead-peer likely victims=1 rank=1 victim-ranks=0' "$logs/cuda.log"
verdict "a DataLoader worker" 1 'hang dead-peer likely victims=1 rank=1 victim-ranks=0' "$logs/worker.log"
verdict "two raised, no time tells" 1 'hang dead-peer likely victims=0 culprit=-' "$logs/both-raise.log" "$logs/both-raise-1.log"
verdict "one alone" 2 'inconclusive dead-peer possible victims=0 rank=0' "$logs/both-raise.log"
text "$logs/both-raise.log"
grep -q 'token=\*\*\*' "$tmp/text" && ! grep -q hunter2 "$tmp/text"
passed "a secret is masked" $?

straggler='problem straggler likely victims=3'
verdict "the shortest wait" 1 "$straggler rank=2 victim-ranks=0,1,3" "$logs/straggler.log"
sed 's/^rank=\([0-9]*\) /\1: host=gpu0\1 /' "$logs/straggler.log" >"$tmp/labelled.log"
verdict "labels of srun, hosts told" 1 \
	'problem straggler likely victims=3 host=gpu02 rank=2 victim-ranks=0,1,3' "$tmp/labelled.log"
{
	echo 'srun: job 12 has been allocated resources'
	printf ' 0: Traceback (most recent call last):\n12:   x\n 0:   File "/app/a.py", line 3\n'
	echo ' 0: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.'
	echo '12: RuntimeError: [1] Connection closed by peer [10.0.0.1]:4711'
	echo 'srun: error: gpu01: task 0: Exited with exit code 1'
} >"$tmp/srun.log"
verdict "a failure under labels" 1 'problem out-of-memory likely victims=1 rank=0 victim-ranks=12' "$tmp/srun.log"
{ echo step by step && cat "$tmp/srun.log"; } >"$tmp/numbers.log"
verdict "numbers before some lines are no labels" 1 'problem out-of-memory likely victims=0 culprit=-' "$tmp/numbers.log"
verdict "in JSON lines" 1 "$straggler rank=0 victim-ranks=1,2,3" "$logs/straggler-json.log"
verdict "uneven batches" 0 "$quiet" "$logs/uneven.log"
verdict "a healthy loop" 0 "$quiet" "$logs/healthy.log"
verdict "errors that the rank got over" 0 "$quiet" "$logs/caught.log"

# With dumps of the same job: one story.
"$nh" report -v -f brief tests/flight/nccl-missing "$logs/elog_raise" >"$tmp/out" 2>&1
sed 's/culprit=- //' "$tmp/out" | grep -qx 'problem out-of-memory likely victims=3 rank=2 victim-ranks=.*' &&
	[ "$(wc -l <"$tmp/out")" = 1 ]
passed "dumps and logs of one job: the cause, with what waited for it" $?
"$nh" report -f json "$logs/oom.log" >"$tmp/case.json" 2>/dev/null
verdict "a saved report" 1 'problem out-of-memory likely victims=3 host=gpu03 rank=3 victim-ranks=0,1,2' "$tmp/case.json"

# What is no log.
printf 'Rank 2 prints "Watchdog caught collective operation timeout" and dies.\n' >"$tmp/prose.md"
"$nh" report -f brief "$tmp/prose.md" >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q 'no dump and no log' "$tmp/err"
passed "prose is not taken for a log" $?

# Size and damage: memory stays bounded, the rest is used.
{
	printf '[rank0]: begins\n[rank0]: '
	head -c 100000000 /dev/zero | tr '\0' x
	printf '\n[rank0]:[W1129 19:15:18.6 a.cpp:7] \377\376 \303\050\n'
	cat "$logs/oom-old.log"
} >"$tmp/long.log"
prlimit --as=400000000 "$nh" report -v -f brief "$tmp/long.log" >"$tmp/out" 2>"$tmp/err"
[ "$(sed 's/culprit=- //' "$tmp/out")" = 'problem out-of-memory likely victims=0 rank=1' ]
passed "a line of 100 MB and invalid UTF-8 before the cause" $?
cp "$logs/oom-old.log" "$tmp/sparse.log"
truncate -s 10G "$tmp/sparse.log"
prlimit --as=400000000 "$nh" report -v -f brief "$tmp/sparse.log" >"$tmp/out" 2>"$tmp/err"
grep -q 'sparse.log: .*more than 4 GiB' "$tmp/err" && grep -q 'out-of-memory likely.*rank=1' "$tmp/out"
passed "a sparse file of 10 GB" $?
zstd -q "$logs/oom.log" -o "$tmp/oom.log.zst"
verdict "a packed log" 1 'problem out-of-memory likely victims=3 host=gpu03 rank=3 victim-ranks=0,1,2' "$tmp/oom.log.zst"
done_testing
