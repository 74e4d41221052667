#!/bin/sh
# --dump: asks only when asked, by the way the process offers; whatever answers badly is a gap, and
# nothing holds it up.
. tests/lib/live.sh

stand() { # NAME MANNER RANK VARIABLE=VALUE... [-- AGE]: a recorder in its own folder
	stand=$1 manner=$2 rank=$3
	shift 3
	mkdir -p "$tmp/d-$stand"
	vars='' age=600
	while [ $# -gt 0 ]; do
		[ "$1" = -- ] && age=$2 && break
		vars="$vars $1"
		shift
	done
	# shellcheck disable=SC2086
	start "$stand" env RANK="$rank" $vars "$python" tests/lib/recorder.py "$manner" "$tmp/d-$stand" "$rank" "$age"
}
by_fifo() { # NAME: where its recorder listens and writes
	echo "TORCH_NCCL_DEBUG_INFO_PIPE_FILE=$tmp/d-$1/pipe_ TORCH_NCCL_DEBUG_INFO_TEMP_FILE=$tmp/d-$1/trace_"
}
on=TORCH_NCCL_DUMP_ON_TIMEOUT=1
# shellcheck disable=SC2046
{
	stand fifo0 fifo 0 $(by_fifo fifo0) $on
	stand fifo1 fifo 1 $(by_fifo fifo1) $on
	stand young0 fifo 0 $(by_fifo young0) $on -- 0
	stand young1 fifo 1 $(by_fifo young1) $on -- 0
	stand alone fifo 0 $(by_fifo alone) $on
	stand deaf deaf 0 $(by_fifo deaf) $on
	stand slow fifo 0 $(by_fifo slow) TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=30
	stand unasked fifo 0 $(by_fifo unasked) $on
}
stand server server 0 TORCH_WORKER_SERVER_SOCKET="$tmp/d-server/socket"
stand old old 1 TORCH_WORKER_SERVER_SOCKET="$tmp/d-old/socket"
stand rude rude 0 TORCH_WORKER_SERVER_SOCKET="$tmp/d-rude/socket"
stand silent silent 0 TORCH_WORKER_SERVER_SOCKET="$tmp/d-silent/socket"
stand nowhere server 0 TORCH_WORKER_SERVER_SOCKET="$tmp/d-nowhere/none"
stand unset fifo 0 A=1
stand unopened server 0 TORCH_NCCL_DEBUG_INFO_PIPE_FILE="$tmp/d-unopened/pipe_"

asked() { # NAME PROCESS...
	asked=$1
	shift
	pids=
	for of; do pids="$pids $(value "$of" pid)"; done
	# shellcheck disable=SC2086
	look "$asked" --interval 0 --timeout 3 --dump $pids
}
asked two fifo0 fifo1
asked young young0 young1
asked servers server old
for of in alone deaf slow rude silent nowhere unset unopened; do asked "a-$of" $of; done
look unasked --interval 0 "$(value unasked pid)"
looked

ranks() { tells "$1" "sorted({r.rank or 0 for r in rows('rank_groups')}) == $2"; }
gap() { tells "a-$1" "any('flight-recorder dump' in g and '$2' in g for g in gaps) and not rows('rank_groups')"; }
in_time() { tells "$1" "h.duration_ms < $2 * 1000"; }

check "FIFO: both ranks' dumps are in the case" ranks two '[0, 1]'
check "FIFO: who is missing is named" tells two "f.id == 'rank-missing' and f.confidence == 'likely' and c.rank == 1"
check "FIFO: the dump is read whole" tells two "len(rows('collectives')) > 5 and not any('dump' in g for g in gaps)"
check "FIFO: the job lives" lives "$(value fifo0 pid)"
check "FIFO: that it takes longer is said" grep -q 'beyond the timeout' "$tmp/two.err"
check "what has only just begun convicts nobody" tells young "not fs and len(rows('rank_groups')) == 2"
check "a rank that was not asked is no culprit" tells a-alone "f.id == 'rank-missing' and f.confidence == 'possible'"
check "the saved case says the same" sh -c "'$nh' report -f brief '$tmp/two.json' | grep -q '^hang rank-missing likely'"
check "server: NCCL's handler, or the general one" ranks servers '[0, 1]'
check "server: the same verdict" tells servers "f.id == 'rank-missing' and c.rank == 1"
check "deaf: it was asked and wrote nothing" gap deaf 'wrote no'
check "deaf: within what was promised" in_time a-deaf 10
check "no dump on timeout: waits for the monitor to wake up" ranks a-slow '[0]'
check "no dump on timeout: and says so" tells a-slow "any('only every 30 s' in g for g in gaps)"
check "rude: said" gap rude 'worker server'
check "silent: said, in time" gap silent 'timed out'
check "silent: within the deadline" in_time a-silent 9
check "no socket there: said" gap nowhere 'No such file'
check "nothing set: said" gap unset 'cannot be asked'
check "no FIFO open: said" gap unopened 'pipe open'
check "unasked: nothing was written" sh -c "! ls '$tmp/d-unasked' | grep -q trace"
check "unasked: nothing is said of it" tells unasked "not rows('rank_groups') and not any('dump' in g for g in gaps)"
done_testing
