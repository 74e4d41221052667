#!/bin/sh
# The screens in a real terminal: tmux types the keys and reads what stands there.
# shellcheck disable=SC2016  # the shell inside tmux expands its own words
. tests/lib/live.sh
command -v tmux >/dev/null || { echo "no tmux here" && exit 77; }

socket=$tmp/tmux
in_tmux() { env -u TMUX -u NO_COLOR LC_ALL=C.UTF-8 tmux -u -f /dev/null -S "$socket" "$@"; }
trap 'in_tmux kill-server 2>/dev/null; kill $children 2>/dev/null; rm -rf "$tmp"' EXIT
mkdir "$tmp/here"
in_tmux new-session -d -x 80 -y 24 "cd $tmp/here && PS1='% ' TERM=screen-256color exec sh -i" ||
	{ echo "tmux does not start" && exit 77; }

type_in() { in_tmux send-keys "$@"; }
run_in() { type_in -l "$1" && type_in Enter; }
screen() { in_tmux capture-pane -p; }
colours() { in_tmux capture-pane -p -e; }
shows() { screen | grep -qs -e "$1"; }
shows_soon() { # PATTERN
	soon shows "$1" && return
	screen | sed 's/^/# /'
	return 1
}
# The line discipline is as it was, and the shell's own screen is back.
settings() { rm -f "$tmp/$1" && run_in "stty -a >$tmp/$1; echo \$? >$tmp/$1.done" && soon [ -s "$tmp/$1.done" ]; }
restored() {
	rm -f "$tmp/after" "$tmp/after.done"
	settings after && cmp -s "$tmp/before" "$tmp/after" && shows '^% ' && not shows '1 Verdict'
}
tool_pid() { pgrep -f "^$nh $1" | head -n 1; }
settings before

"$nh" demo close --for 120 >"$tmp/demo.out" &
children="$children $!"
soon grep -q '^pid=' "$tmp/demo.out"
pid=$(value demo pid)
holder=$(value demo holder)

# Live, from the first screen to the holder, and out.
run_in "$nh -i $pid"
check "keys answer while it collects" shows_soon 'q quit'
check "the first screen has the verdict" shows_soon '^hang: nccl-teardown-held-socket (confirmed)'
check "and the culprit" shows "^culprit  .*pid $holder (helper), fd"
check "and the chain" shows "^  ● thread $pid "
check "what is bad is red" eval 'colours | grep -q "31m.*hang:"'
type_in Down Down Down Down
check "the chain is walked to the holder" shows_soon '^do: save the evidence first'
type_in Enter
check "the holder in detail" shows_soon "^pid $holder (helper)"
type_in Escape
type_in 4
check "threads" shows_soon '^4 of 4 threads'
type_in r
check "a new look says what moved" shows_soon 'since the look before: .* still hang'
type_in s
check "the case is saved" shows_soon '^saved: ncclhang-.*\.json\.zst'
type_in y
check "the screen is copied" shows_soon '^written: ncclhang-screen-1.txt'
type_in q
check "q restores the terminal" soon restored
check "the saved case has the verdict" eval \
	'"$nh" report -f brief "$tmp"/here/*.json.zst | grep -q "hang nccl-teardown-held-socket confirmed"'
check "the copied screen is text" grep -q "^4 of 4 threads" "$tmp/here/ncclhang-screen-1.txt"
check "the job was not touched" eval '[ "$(sed "s/.*) //; s/ .*//" /proc/'"$pid"'/stat)" = S ] &&
	grep -q "^TracerPid:.0$" /proc/'"$pid"'/status'

# Suspended, resized, too small.
"$nh" -o "$tmp/here/case.json" "$pid" >/dev/null
run_in "$nh report -i case.json"
shows_soon '^hang: '
type_in C-z
check "Ctrl-Z gives the shell back" shows_soon 'Stopped'
run_in fg
check "fg comes back" shows_soon '^culprit'
in_tmux resize-window -x 30 -y 5
check "too small is said" shows_soon 'is too small'
in_tmux resize-window -x 100 -y 30
check "a larger terminal is filled" shows_soon '^hang: .*'
type_in q
in_tmux resize-window -x 80 -y 24
check "restored after that" soon restored

# Ended from outside, and crashed.
for sig in TERM HUP SEGV; do
	run_in "$nh report -i case.json"
	shows_soon '^hang: ' && kill -$sig "$(tool_pid 'report -i')"
	check "SIG$sig restores the terminal" soon restored
	check "and ends it" eval '[ -z "$(tool_pid "report -i")" ]'
done
run_in "$nh -i -t 60 --interval 50 $pid"
shows_soon 'collecting: '
type_in q
check "quitting while it collects restores the terminal" soon restored
check "and leaves no process behind" eval 'soon eval "[ -z \"\$(tool_pid -i)\" ]"'
run_in "cat case.json | $nh report -i -o out.md -"
check "a case from a pipe, keys from the terminal" shows_soon '^hang: '
type_in q
check "-o FILE is written at the end" eval 'soon restored && grep -q "^## hang: " "$tmp/here/out.md"'
run_in "$nh report -i -o out.json case.json"
shows_soon '^hang: '
type_in C-c
check "Ctrl-C restores the terminal" soon restored
run_in "$nh -i 4194303"
check "no such process is said on the shell's screen" shows_soon '^ncclhang: no such process: 4194303'

# Terminals that can do less.
for term in vt100 linux screen; do
	run_in "clear; LC_ALL=C TERM=$term $nh report -i case.json"
	check "$term without UTF-8" shows_soon "^  \* pid $holder (helper)"
	check "$term shows ASCII alone" eval '! screen | LC_ALL=C grep -q "[^ -~]"'
	type_in Down Down Down Down Enter
	check "$term walks" shows_soon "^pid $holder (helper)"
	type_in q
	soon restored
done
run_in "NO_COLOR=1 $nh report -i case.json"
shows_soon '^hang: '
check "NO_COLOR" eval '! colours | grep -q "\[[0-9;]*3[0-7][;m]"'
type_in q
soon restored
run_in "TERM=nonsense $nh report -i case.json"
check "an unknown terminal is said" shows_soon "the terminal type 'nonsense' is not known here"

run_look notty "$nh" report -i "$tmp/here/case.json"
looked
check "no terminal at all: a usage error" exits notty 64
done_testing
