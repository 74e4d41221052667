#!/bin/sh
# Programs at their end that join a thread or a child: one that nobody will wake, and ones that serve,
# sleep, work or are meant to wait.
. tests/lib/live.sh
. tests/lib/pythons.sh

convicts() { # NAME
	exits "$1" 1 && tells "$1" "[x.id for x in fs] == ['interpreter-exit'] and
		f.confidence == 'likely' and f.victims[0].pid == $(value "$1" pid)"
}
joins() { # NAME: that thread, and its place in the program
	convicts "$1" && tells "$1" "c.pid == $(value "$1" pid) and c.tid == $(value "$1" other) and
		'exit.py line' in f.title and edges == ['joins'] and f.chain[0].inferred"
}
reads() { # NAME: the child reads a pipe of its own, which says more
	exits "$1" 1 && tells "$1" "[x.id for x in fs] == ['held-pipe'] and c.pid == $(value "$1" other) and
		any('also seen as interpreter-exit' in e for e in f.evidence)"
}
waits() { # NAME: for that child
	convicts "$1" && tells "$1" "c.pid == $(value "$1" other) and edges == ['waits for its child']"
}
# examine PYTHON MODE...: all at once
examine() {
	which=$1 names=''
	shift
	for mode; do
		# shellcheck disable=SC2046
		start "$which-$mode" $(cat "$tmp/$which.run") -W ignore tests/live/exit.py "$mode"
		names="$names $which-$mode"
	done
	sleep 0.3
	for name in $names; do
		look "$name" "$(value "$name" pid)"
	done
	looked
	for name in $names; do
		case $name in
		*-event | *-queue | *-executor | *-monitor) check "$name: the joined thread" joins "$name" ;;
		*-two) check "$name: likely, but which thread is not known" convicts "$name" ;;
		*-process) check "$name: the child's pipe" reads "$name" ;;
		*-child) check "$name: the child" waits "$name" ;;
		*-handler) check "$name: a possibility" exits "$name" 2 ;;
		*) check "$name: nothing found" finds_nothing "$name" ;;
		esac
		kill -9 "$(value "$name" pid)" 2>/dev/null
	done
}

for which in $known; do
	examine "$which" event child process
done
examine system queue two executor handler monitor
examine system accept select sigwait sleep bounded
examine system compute rivals server working idle

check "two: both are named" tells system-two "len(f.chain) == 2 and not c.tid and len(f.unknown) > 0"
check "handler: the signal is named" tells system-handler \
	"f.id == 'interpreter-exit' and any('signal 15' in u for u in f.unknown)"
done_testing
