#!/bin/sh
# Flight-recorder dumps: every truth is named, whatever is healthy stays silent, damage is said.
. tests/lib/live.sh

dumps=$PWD/tests/flight
python3 tests/lib/flight.py "$tmp/made" || exit 1
cd "$tmp" || exit 1

quiet='no-hang - - victims=0 culprit=-'
verdict "Gloo, healthy" 0 "$quiet" "$dumps/gloo-healthy"
verdict "Gloo, rank 2 never joined" 1 'hang rank-missing likely victims=3 rank=2 victim-ranks=0,1,3' "$dumps/gloo-stall"
verdict "Gloo, rank 3 ran another operation" 1 'hang collective-mismatch likely victims=3 rank=3 victim-ranks=0,1,2' "$dumps/gloo-op"
verdict "Gloo, sizes differ, one dump lacks: nobody is named" 1 'hang collective-mismatch likely victims=1 victim-ranks=2' "$dumps/gloo-size"
verdict "NCCL, healthy" 0 "$quiet" "$dumps/nccl-healthy"
for scene in missing nodump; do
	verdict "NCCL, $scene" 1 'hang rank-missing likely victims=3 rank=2 victim-ranks=0,1,3' "$dumps/nccl-$scene"
done
verdict "NCCL, scheduled, not started" 1 'hang gpu-not-started likely victims=3 rank=2 victim-ranks=0,1,3' "$dumps/nccl-sched"
verdict "NCCL, another operation" 1 'hang collective-mismatch likely victims=3 rank=2 victim-ranks=0,1,3' "$dumps/nccl-type"
verdict "NCCL, straggler" 1 'problem straggler likely victims=3 rank=2 victim-ranks=0,1,3' "$dumps/nccl-straggler"

missing='hang rank-missing likely victims=3 rank=2 victim-ranks=0,1,3'
missing0='hang rank-missing likely victims=3 rank=0 victim-ranks=1,2,3'
waits='inconclusive collective-wait possible victims=4 victim-ranks=0,1,2,3'
perhaps='inconclusive rank-missing possible victims=3 rank=2 victim-ranks=0,1,3'
while IFS='|' read -r scene status line; do
	verdict "made: $scene" "$status" "$line" "made/$scene"
done <<EOF
healthy|0|$quiet
missing0|1|$missing0
type0|1|hang collective-mismatch likely victims=3 rank=0 victim-ranks=1,2,3
size|1|hang collective-mismatch likely victims=3 rank=2 victim-ranks=0,1,3
dtype|1|hang collective-mismatch likely victims=3 rank=2 victim-ranks=0,1,3
tie|1|hang collective-mismatch likely victims=4 victim-ranks=0,1,2,3
two-missing|1|hang rank-missing likely victims=2 rank=2 victim-ranks=0,1
alone|1|hang rank-missing likely victims=1 victim-ranks=0
notiming|1|$missing
notiming-all-there|2|inconclusive collective-wait possible victims=4 victim-ranks=0,1,2,3
timed-out|1|hang collective-wait likely victims=4 victim-ranks=0,1,2,3
chain|1|hang rank-missing likely victims=3 rank=3 victim-ranks=0,1,2
cycle|1|hang collective-mismatch likely victims=2 victim-ranks=0,1
off|1|$missing
off-nothing|2|$perhaps
all-off|2|inconclusive - - victims=0 culprit=-
wrapped-behind|1|$missing
wrapped-ahead|2|inconclusive collective-wait possible victims=4 victim-ranks=0,1,2,3
stale|2|$perhaps
other-run|2|$perhaps
half-dumped|2|inconclusive rank-missing possible victims=2 rank=2 victim-ranks=0,1
p2p-chain|1|hang rank-missing likely victims=3 rank=3 victim-ranks=0,1,2
p2p-size|1|hang collective-mismatch likely victims=2 victim-ranks=0,1
p2p-local|1|hang rank-missing likely victims=1 rank=6 victim-ranks=4
batch-healthy|0|$quiet
batch-missing|1|$missing
batch-op|1|hang collective-mismatch likely victims=3 rank=2 victim-ranks=0,1,3
batch-size|1|hang collective-mismatch likely victims=3 rank=1 victim-ranks=0,2,3
batch-short|1|hang collective-mismatch likely victims=3 rank=3 victim-ranks=0,1,2
batch-same|2|$waits
batch-wrapped|2|$waits
batch-p2p|1|hang rank-missing likely victims=1 rank=1 victim-ranks=0
batch-p2p-size|1|hang collective-mismatch likely victims=2 victim-ranks=0,1
a2a|0|$quiet
a2a-waits|2|$waits
a2a-total|1|hang collective-mismatch likely victims=4 victim-ranks=0,1,2,3
a2a-total-2.2|2|$waits
a2a-total-absent|1|hang rank-missing likely victims=3 rank=3 victim-ranks=0,1,2
straggler|1|problem straggler likely victims=3 rank=0 victim-ranks=1,2,3
late|2|inconclusive straggler possible victims=3 rank=1 victim-ranks=0,2,3
uneven|0|$quiet
format-list|1|$missing
format-1.1|1|$missing
format-1.4|1|$missing
format-2.4|1|$missing
protocol2|1|$missing0
protocol4|1|$missing0
json|1|$missing0
EOF

# Damage: said for that file, the others are used, and a damaged rank is neither missing nor innocent.
cp -r "$dumps/nccl-missing" cut
head -c 9000 "$dumps/nccl-missing/nccl_trace_rank_1" >cut/nccl_trace_rank_1
verdict "a cut file beside the culprit's" 1 'hang rank-missing likely victims=2 rank=2 victim-ranks=0,3' cut
grep -q 'cut/nccl_trace_rank_1.*at byte [89][0-9][0-9][0-9]' "$tmp/err"
passed "the cut is named with its place" $?
cp -r "$dumps/nccl-missing" cut2
head -c 9000 "$dumps/nccl-missing/nccl_trace_rank_2" >cut2/nccl_trace_rank_2
verdict "the culprit's file is cut" 2 "$perhaps" cut2
cp -r "$dumps/nccl-missing" flip
python3 - flip/nccl_trace_rank_0 <<'EOF'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[5000] ^= 0x40
open(sys.argv[1], "wb").write(b)
EOF
"$nh" report -f brief flip >out 2>err
grep -q '^hang rank-missing' out && grep -q 'rank_0.*at byte' err
passed "a flipped bit is noticed" $?
cp -r "$dumps/nccl-missing" hostile
python3 - hostile/nccl_trace_rank_0 <<'EOF'
import os, pickle, sys
class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)
pickle.dump({"version": "2.10", "pg_config": Evil(), "entries": []}, open(sys.argv[1], "wb"), 2)
EOF
verdict "a dump that would run code is refused" 1 'hang rank-missing likely victims=2 rank=2 victim-ranks=1,3' hostile
grep -q 'refused: opcode GLOBAL at byte [0-9]' "$tmp/err" && [ ! -e executed ]
passed "by opcode and place, and nothing ran" $?
mkdir unnamed
cp "$dumps/nccl-missing/nccl_trace_rank_0" unnamed/dump
"$nh" report unnamed >out 2>err
grep -q "let the file's name end with it" err
passed "a name without a rank is told how to be mended" $?
gzip -k -c "$dumps/nccl-missing/nccl_trace_rank_2" >cut2/nccl_trace_rank_2.gz
verdict "a packed copy replaces a damaged file" 1 "$missing" cut2

# The case that report writes says the same.
"$nh" report -f json made/chain >chain.json
verdict "a saved report" 1 'hang rank-missing likely victims=3 rank=3 victim-ranks=0,1,2' chain.json
"$nh" report made/chain >text
grep -q 'log_loss (/app/train.py:88)' text && grep -q 'waits in step (/app/train.py:71)' text &&
	tr -s ' \n' ' ' <text | grep -q 'raising the timeout buys a longer hang'
passed "the culprit's place beside the victim's, and what a timeout buys" $?
"$nh" report made/a2a-total | tr -s ' \n' ' ' >text
grep -q 'together send 100 elements and expect 101' text && grep -q 'rank 1 sends 20 and expects 31' text
passed "an all_to_all whose totals cannot be, with the numbers" $?
"$nh" report made/batch-op | tr -s ' \n' ' ' >text
grep -q 'rank 2: reduce_scatter of \[4096\] Float, number 3 of 4 coalesced' text
passed "which of the coalesced operations differs" $?
"$nh" report made/uneven -f json | grep -q '"ruled_out":\[{"id":"straggler"'
passed "uneven batches are told from a straggler" $?
done_testing
