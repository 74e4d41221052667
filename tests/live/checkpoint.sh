#!/bin/sh
# Checkpoints: thin, full and torn are told apart, in every layout; hostile files run nothing.
. tests/lib/live.sh

samples=$PWD/tests/checkpoint
# reports WHAT PATH WORDS: the text report of it holds them
reports() {
	text "$2"
	told "$1" "$3"
}
cp -r "$samples" "$tmp/samples"
python3 tests/lib/checkpoint.py "$tmp/made" || exit 1
cd "$tmp" || exit 1

quiet='no-hang - - victims=0 culprit=-'
bad='problem checkpoint-incomplete likely victims=0 culprit=-'
perhaps='inconclusive checkpoint-incomplete possible victims=0 culprit=-'
while IFS='|' read -r path status line; do
	verdict "$path" "$status" "$line" "$path"
	[ ! -s err ] || passed "$path is read without a complaint" 1
done <<EOF
samples/dcp|0|$quiet
samples/dcp_async|0|$quiet
samples/full.pt|0|$quiet
samples/thin.pt|1|$bad
samples/legacy.pt|1|$bad
made/full.pt|0|$quiet
made/packed.pt|0|$quiet
made/nested.pt|0|$quiet
made/cpu-empty.pt|0|$quiet
made/cuda-empty.pt|2|$perhaps
made/no-schedule.pt|2|$perhaps
made/no-optimizer.pt|1|$bad
made/thin.pt|1|$bad
made/lightning.ckpt|0|$quiet
made/dcp|0|$quiet
made/dcp-thin|1|$bad
made/dcp-no-metadata|1|$bad
made/dcp-cut-metadata|1|$bad
made/dcp-cut-shard|1|$bad
made/dcp-no-shard|1|$bad
made/dcp-escape|1|$bad
made/hf|0|$quiet
made/hf-thin|1|$bad
made/hf-lost|1|$bad
made/accelerate|0|$quiet
made/deepspeed|0|$quiet
made/deepspeed-lost|1|$bad
made/megatron|0|$quiet
made/cadence|0|$quiet
made/hostile/cut.pt|1|$bad
made/hostile/flipped.pt|1|$bad
made/hostile/lying-directory.pt|1|$bad
made/hostile/lying-size.pt|1|$bad
made/hostile/sparse.pt|1|$bad
made/hostile/evil.pt|1|$bad
EOF
reports "thin is called so" samples/thin.pt 'thin.pt holds weights only: resuming from it is a restart'
reports "another lack is named" made/no-optimizer.pt 'no-optimizer.pt cannot resume the run: it lacks the optimizer'
reports "no .metadata" made/dcp-no-metadata 'is torn: .metadata is missing: it is written last'
reports ".metadata cut, with its place" made/dcp-cut-metadata 'is torn: .metadata: .* byte [0-9]'
reports "a shard cut, with its sizes" made/dcp-cut-shard '__1_0.distcp is cut: 100 bytes, but .metadata has a slice up to 192'
reports "a shard missing" made/dcp-no-shard '__1_0.distcp is missing: rank 1 wrote it'
reports "a path out of the checkpoint is not followed" made/dcp-escape 'names a file outside of the checkpoint: ../../passwd'
reports "a rank's file missing" made/hf-lost 'rng_state_2.pth is missing'
reports "latest pointing nowhere" made/deepspeed-lost 'latest names global_step6, which is not there'
reports "no central directory" made/hostile/sparse.pt 'torn: cut: a zip archive without its central directory'
reports "what was looked at" samples/dcp 'step 4812, .* whole present the model, the optimizer, the learning-rate schedule, the position in the data, the RNG state, the step empty CUDA'
reports "room for an asynchronous save" samples/dcp 'async save copies all of it to host memory first'
reports "the cadence and its price" made/cadence '4 saves, one every 900 s, each written in 6.0 s: a crash costs up to 900 + 6.0 = 906 s of work, 900 / 2 + 6.0 = 456 s on average'
reports "Young's interval" made/cadence 'while it is written: 6.0 / 900 = 0.7 % of the time. .*(Young) .* 1018 s at one failure a day, 366 s at one in 3.1 hours'
cat >numbers.log <<'EOF'
rank=0 step_s=0.9 ckpt_every=1000 mtbf_h=24
rank=0 step=1000 ckpt_step=0 ckpt_block_s=9.9 ckpt_write_s=100
rank=0 step=2000 ckpt_step=1000 ckpt_block_s=6.3 ckpt_write_s=120
rank=1 step=2000 ckpt_step=1000 ckpt_block_s=6.0 ckpt_write_s=110
EOF
reports "the cadence by a log's numbers: what is at risk" numbers.log 'One save every 1000 steps x 0.900 s = 900 s of training, each written in 120.0 s: a crash costs up to 900 + 120.0 = 1020 s of work, 900 / 2 + 120.0 = 570 s on average'
reports "what it takes" numbers.log 'A save holds up the training for 6.3 s: 6.3 / (900 + 6.3) = 0.7 % of the time'
reports "and the optimum" numbers.log 'failure in 24.0 hours: sqrt(2 x 6.3 s x 86400 s) = 1043 s, 1159 steps'
reports "what both lose" numbers.log 'take 1.3 % of the time, at 900 s they take 1.4 %'
echo '{"ckpt_interval_s": 900, "ckpt_block_s": 148.8}' >synchronous.log
reports "a save every quarter of an hour that blocks" synchronous.log '148.8 / 900 = 16.5 % of the time. .* 5071 s at one failure a day, 1820 s at one in 3.1 hours'
mkdir both && cp -rp made/cadence both/ && echo ckpt_block_s=148.8 >both/rank_0.log
reports "the log's price with the files' interval" both 'one every 900 s, each written in 6.0 s: .* A save holds up the training for 148.8 s: 148.8 / 900 = 16.5 %'
"$nh" report -f json numbers.log >numbers.json
reports "and from the saved case" numbers.json '6.3 / (900 + 6.3) = 0.7 % of the time'
reports "the whole one to fall back to" made 'resume from made/[a-z]'

while IFS='|' read -r path words; do
	verdict "$path" 2 "" "made/$path"
	grep -q -e "$path: .*$words" err
	passed "$path: $words" $?
done <<EOF
not.pt|no state dict
EOF
while IFS='|' read -r path words; do
	"$nh" report -f brief "made/hostile/$path" >out 2>err
	[ $? = 2 ] && grep -q -e "$path: .*$words" err
	passed "$path: $words" $?
done <<EOF
deep.pt|at byte 202: nested too deep
memo.pt|at byte 3: a memo slot out of bounds
bomb.pt|larger than 64 MiB
EOF
python3 - "$nh" report made/hostile >out 2>err <<'EOF' &&
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 300000)
EOF
	grep -q 'is torn' out && grep -q 'deep.pt' err && [ ! -e executed ]
passed "all hostile ones in little memory: nothing ran" $?
"$nh" report - <samples/full.pt -f brief | grep -q -x -e "$quiet"
passed "a file as standard input" $?
tail -c +1 samples/full.pt | "$nh" report - >/dev/null 2>err
[ $? = 2 ] && grep -q 'through a pipe, but can only be read in place: write it to a file first' err
passed "a checkpoint through a pipe: what to do" $?
for pack in gzip zstd; do
	$pack -c samples/full.pt 2>/dev/null >packed
	"$nh" report packed >/dev/null 2>err
	[ $? = 2 ] && grep -q 'packed: a packed checkpoint, .*: unpack it into a file first' err
	passed "a checkpoint in $pack: what to do" $?
done
gzip -c case.json packed 2>/dev/null | gzip -c >twice
"$nh" report twice >/dev/null 2>err
[ $? = 2 ] && grep -q 'packed twice: unpack it once first' err
passed "packed twice: what to do" $?
"$nh" report -f json made/dcp-no-shard >case.json
verdict "the case that report writes says the same" 1 "$bad" case.json
cp -r "$samples/dcp" one && mkdir -p job && mv one job/ckpt && cp "$samples/thin.pt" job/
verdict "a folder is searched" 1 "$bad" job
done_testing
