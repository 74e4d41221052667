#!/bin/sh
# Roles of threads and processes: what is idle by design is told so, what is busy or waits is not.
. tests/lib/live.sh

# shows NAME WORDS: the text report does, wherever its lines break
shows() {
	tr '\n' ' ' <"$tmp/$1.txt" | tr -s ' ' | grep -qF -- "$2" && return
	sed 's/^/# /; /^# Stacks/,$d' "$tmp/$1.txt"
	return 1
}
inspect() { # NAME
	"$nh" "$(value "$1" pid)" >"$tmp/$1.txt" 2>"$tmp/$1.err" </dev/null 9>&-
}
# A fixture of Python needs a moment more than the others to stand.
stand() { # NAME PYTHON ARGUMENTS...
	started=$1
	shift
	"$@" <"$tmp/hold" >"$tmp/$started.out" 2>"$tmp/$started.log" 9>&- &
	children="$children $!"
	tries=0
	until grep -qs "^pid=" "$tmp/$started.out" || [ $tries -gt 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	grep -q '^pid=' "$tmp/$started.out" && return
	tail -n 5 "$tmp/$started.log" | sed 's/^/# /'
	check "$started stands" false
	exit 1
}

stand library "$python" tests/live/roles.py library
inspect library
for idle in '2 x multiprocessing pool worker' '2 x process pool worker' '1 x thread pool worker' \
	'3 x multiprocessing pool handler' '1 x process pool manager thread' \
	'1 x multiprocessing resource tracker' '1 x multiprocessing fork server' '1 x asyncio loop'; do
	check "$idle" shows library "$idle, idle by design: "
done
check "a queue feeder" shows library "x multiprocessing queue feeder, idle by design: "
check "a thread pool's worker with a job is not idle" shows library \
	"1 x thread pool worker, stands still in "
check "the fork server's child is no fork server" shows library \
	"1 x multiprocessing child, stands still in BaseProcess.run"
check "the report opens with the elimination" shows library " processes: 14 idle by design, "
check "nobody is convicted: who is to be looked at" shows library "Look next at what stands still: "

if ! /usr/bin/python3 -c 'import torch' 2>/dev/null; then
	skip "DataLoader workers" "no torch"
	done_testing
	exit
fi
stand loader /usr/bin/python3 tests/live/roles.py loader
stand busy /usr/bin/python3 tests/live/roles.py busy
inspect loader
inspect busy
check "workers with nothing to do are idle" shows loader \
	"4 x DataLoader worker, idle by design: poll of 1 slot, 5000 ms timeout"
check "no worker stands still" not shows loader "DataLoader worker, stands still"
check "main does" shows loader "python3, stands still in stands (roles.py:"
check "a worker in __getitem__ is not idle" shows busy \
	"1 x DataLoader worker, stands still in Data.__getitem__ (roles.py:"
check "the other three are" shows busy "3 x DataLoader worker, idle by design: "
check "main waits for them" shows busy ", waits for its DataLoader workers: poll"
check "the opening says so" shows busy " 1 waits for its DataLoader workers, "
check "the busy worker is to be looked at, and where it is" shows busy \
	" (DataLoader worker) in Data.__getitem__ (roles.py:"
done_testing
