#!/bin/sh
# A process whose memory map is locked blocks everybody who reads its command line, in the kernel.
# We must answer all the same, in time, and say what could not be read.
. tests/lib/live.sh

"$fixtures/stuckmm" <"$tmp/hold" >"$tmp/stuck.out" 2>&1 9>&- &
stuck=$!
children=$stuck
# shellcheck disable=SC2016
soon sh -c 'grep -q ^pid= "$1" || ! kill -0 "$2"' sh "$tmp/stuck.out" $stuck
if ! grep -q ^pid= "$tmp/stuck.out"; then
	cat "$tmp/stuck.out"
	exit 77
fi
timeout -s KILL 0.5 cat "/proc/$stuck/cmdline" >/dev/null 2>&1
check "its command line really blocks" [ $? = 137 ]

# timed NAME ARGUMENTS...: read through a pipe as pdsh does, which ends only when everybody who
# could write to it has let go; NAME.ms is how long that took
timed() {
	name=$1 begin=$(date +%s%N)
	shift
	{
		"$tmp/inspector" -f json "$@" 2>"$tmp/$name.err" </dev/null 9>&-
		echo $? >"$tmp/$name.rc"
	} | timeout 15 cat >"$tmp/$name.json"
	echo $((($(date +%s%N) - begin) / 1000000)) >"$tmp/$name.ms"
}
within() { # NAME MILLISECONDS
	[ "$(cat "$tmp/$1.ms")" -lt "$2" ] && return
	echo "# took $(cat "$tmp/$1.ms") ms"
	return 1
}
cp "$nh" "$tmp/inspector"
start close "$nh" demo close --for 100
timed target --timeout 8 $stuck
check "as target: answers within the timeout" within target 9000
check "as target: exit 1" exits target 1
check "as target: the file system that its fault waits for" tells target "f.id == 'filesystem-stall'"
check "as target: the gap names it" \
	tells target "any(g.subject == 'pid $stuck' and 'cmdline' in g.what for g in rows('gaps'))"
check "as target: what could be read is there" \
	tells target "any(p.pid == $stuck and p.comm == 'stuckmm' for p in rows('processes'))"
timed short --timeout 1.5 --interval 0.2 $stuck
check "as target, little time: answers within the timeout" within short 2500
check "as target, little time: exit 2" exits short 2
check "as target, little time: the gap is named" tells short "len(gaps) > 0"

timed bystander "$(value close pid)"
check "as bystander: it costs no time" within bystander 3000
check "as bystander: exit 1" exits bystander 1
check "as bystander: the verdict is the same" convicts bystander confirmed \
	"$(value close holder)" "$(ask bystander c.fd)"
timed both --timeout 8 $stuck "$(value close pid)"
check "beside the hung process: in time" within both 9000
check "beside the hung process: exit 1" exits both 1
check "beside the hung process: the verdict is the same" convicts both confirmed \
	"$(value close holder)" "$(ask bystander c.fd)"
check "beside the hung process: the gap names it" \
	tells both "any(g.subject == 'pid $stuck' and 'cmdline' in g.what for g in rows('gaps'))"

# The locks are gone with the writer of its input; so are our workers that waited for them.
exec 9>&-
check "the target could end" soon gone $stuck
workers() {
	for exe in /proc/[0-9]*/exe; do
		[ "$(readlink "$exe")" = "$tmp/inspector" ] && return
	done
	return 1
}
check "no worker is left" soon not workers
done_testing
