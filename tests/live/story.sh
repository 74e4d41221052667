#!/bin/sh
# One folder with all that is left of a job (a case, dumps, logs, a checkpoint) gives one story: the
# cause first, its consequences folded into it.
. tests/lib/live.sh

mkdir "$tmp/job"
cp -r tests/flight/nccl-missing "$tmp/job/dumps"
# Rank 2 is the one that the dumps miss; here it is also the one that ran out of memory.
sed 's/rank3/rank2/g; s/\[default3\]/[default2]/g; s/Rank 3/Rank 2/g' tests/logs/oom.log >"$tmp/job/train.log"
cp tests/checkpoint/full.pt "$tmp/job"
cp tests/cases/nccl-healthy.json "$tmp/job/case.json"
run_look job "$nh" report -f json "$tmp/job"
cp -r "$tmp/job" "$tmp/thin"
cp tests/checkpoint/thin.pt "$tmp/thin"
run_look thin "$nh" report -f json "$tmp/thin"
looked

check "exit 1" exits job 1
check "one finding: the memory" tells job "[g.id for g in fs] == ['out-of-memory']"
check "of the rank that ran out" tells job "c.rank == 2"
check "its victims wait for it" tells job "sorted({v.rank for v in f.victims}) == [0, 1, 3]"
check "the dumps' word is part of it" tells job "any('flight recorder' in e for e in f.evidence)"
check "the log's word is part of it" tells job "any('out of memory' in e for e in f.evidence)"
check "a thin checkpoint is told after it" \
	tells thin "[g.id for g in fs] == ['out-of-memory', 'checkpoint-incomplete']"
done_testing
