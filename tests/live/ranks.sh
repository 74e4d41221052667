#!/bin/sh
# Four ranks of a real job over Gloo, hung in every way that a rank can keep the others waiting, and
# healthy ones that look alike.
. tests/lib/live.sh

why='needs PyTorch for /usr/bin/python3: make deps-torch'
if ! /usr/bin/python3 -c 'import torch.distributed as d, sys; sys.exit(not d.is_gloo_available())' \
	2>/dev/null; then
	for what in cpu-stall collective-mismatch collective-wait dead-peer store-wait healthy; do
		skip "$what of live ranks" "$why"
	done
	done_testing
	exit
fi

# inspect SCENE...: once it stands.  To import torch takes its time on a busy machine.
inspect() {
	for scene; do
		until says "$scene" '^pid='; do
			sleep 0.1
			waited=$((waited + 1))
			[ $waited -lt 900 ] || break
		done
		look "$scene" "$(value "$scene" pid)"
	done
	looked
}
# rank SCENE N: its pid
rank() { value "$1" "r$2"; }
# blames SCENE ID CONFIDENCE RANK: the first finding and its culprit
blames() {
	exits "$1" 1 && tells "$1" "f.id == '$2' and f.confidence == '$3' and
		c.rank == $4 and c.pid == $(rank "$1" "$4")"
}
# others SCENE RANK...: those are its victims
others() {
	name=$1
	shift
	tells "$name" "sorted(v.rank for v in f.victims) == [$(echo "$*" | tr ' ' ,)]"
}
says_of() { # SCENE WORDS: in the title or the evidence of the first finding
	tells "$1" "any('$2' in x for x in [f.title] + (f.evidence or []))"
}

# These two are told only of ranks that have waited for a while.
waited=0
/usr/bin/python3 tests/live/ranks.py "$tmp" late killed sleep compute read worker barrier tie threads dies \
	stops hidden saves steps phase idles <"$tmp/hold" >"$tmp/server.out" 2>&1 9>&- &
children="$children $!"
inspect sleep compute read worker barrier tie threads
check "a rank that sleeps before all_reduce" blames sleep cpu-stall likely 1
check "its victims are the others" others sleep 0 2 3
check "it does not move" says_of sleep 'it stands still in forever'
check "rank waits for rank" tells sleep "edges == ['waits for rank'] and f.chain[0].inferred"
check "where the others called it is said" says_of sleep 'called by reduce_once'
check "a rank that computes" blames compute cpu-stall likely 1
check "it moves" says_of compute 'it moves, in compute'
check "a rank that reads a pipe" blames read cpu-stall likely 1
check "it waits in read_shard" says_of read 'it stands still in read_shard'
check "a rank whose worker does not deliver" blames worker cpu-stall likely 1
check "the worker is named, and where it is" tells worker "'it waits for pid ' in f.title and
	'stands still in forever' in f.title and edges[1:] == ['reads', 'is held open by']"
check "one rank in another collective" blames barrier collective-mismatch likely 2
check "in barrier" says_of barrier 'rank 2 waits in barrier, while ranks 0, 1, 3 wait in all_reduce'
check "two against two" tells tie "f.id == 'collective-mismatch' and f.confidence == 'likely' and
	not f.culprit and 'no majority' in f.title"
check "two threads in two collectives" tells threads "f.id == 'collective-mismatch' and
	f.confidence == 'likely' and 'on two threads: all_reduce and barrier' in f.title"

inspect dies stops hidden saves steps phase idles
check "a rank that ended, while a child holds its connections" blames dies dead-peer likely 2
check "its orphan is named" says_of dies 'bears its number, but its parent is gone'
check "a stopped rank: first the stop" blames stops stopped-process confirmed 2
check "then what it keeps waiting" tells stops "fs[1].id == 'cpu-stall' and len(fs) == 2 and
	fs[1].because == 'stopped-process' and
	fs[1].culprit.rank == 2"
check "and the others are victims of the stop" tells stops \
	"{0, 1, 3} <= {v.rank for v in f.victims}"
check "a rank that cannot be seen is elsewhere" tells hidden "f.id == 'collective-wait' and
	f.confidence == 'likely' and not f.culprit and 'look at rank 4' in f.title"
check "a rank that saves: the others wait, as they may" exits saves 2
check "that it saves is said" says_of saves 'it saves a checkpoint, and moves, in'
check "steps with all_reduce: nothing found" finds_nothing steps
check "all compute: nothing found" finds_nothing phase
check "all idle: nothing found" finds_nothing idles

old() { [ "$(ps -o etimes= -p "$(rank "$1" 0)")" -ge 7 ]; }
check "the start has waited for a while" soon old killed
look one "$(rank idles 0)"
inspect late killed
check "a rank that never came to the store" blames late store-wait likely 3
check "those at the store are its victims" others late 0 1 2
check "the store's server is named" says_of late "pid $(rank late 0) (python3) listens there"
check "a rank that was killed before" blames killed dead-peer likely 3
check "they wait at the store" says_of killed 'init_process_group'
check "one idle rank alone: nothing found" finds_nothing one
done_testing
