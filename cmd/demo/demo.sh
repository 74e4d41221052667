#!/bin/sh
# What `make demo` does: hang a real process, let ncclhang explain it, apply the remedy it names,
# see the hang end.  Usage: demo.sh NCCLHANG
tool=$1
dir=$(mktemp -d) || exit 1
timeline=$dir/timeline
demo=
cleanup() {
	[ -n "$demo" ] && kill "$demo" 2>/dev/null && wait "$demo"
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

die() {
	echo "demo failed: $*" >&2
	exit 1
}
step() {
	printf '\n== %s\n\n' "$*"
}
# wait_for PATTERN: until the timeline has such a line, for at most ten seconds
wait_for() {
	i=0
	until grep -q "$1" "$timeline"; do
		i=$((i + 1))
		[ $i -le 100 ] || return 1
		sleep 0.1
	done
}
# The first remedy of the first finding that is a kill, from a case on stdin.
remedy() {
	if command -v python3 >/dev/null; then
		python3 -c '
import json, sys
finding = json.loads(sys.stdin.readline())["verdict"]["findings"][0]
print(next(r["command"] for r in finding["remedy"] if "kill" in r.get("command", "")))'
	else
		sed -n '1s/.*"remedy":\[//p' | grep -o '"command":"[^"]*kill[^"]*"' |
			sed -n '1s/^"command":"\(.*\)"$/\1/p'
	fi
}

step "A rank aborts its communicator while a forked helper holds a copy of its socket"
echo "\$ ncclhang demo close"
"$tool" demo close --for 60 >"$timeline" &
demo=$!
wait_for '^pid=' || die "the scene does not stand"
wait_for 'poll rounds' || die "the timeline shows no hang"
cat "$timeline"
pid=$(sed -n '1s/^pid=\([0-9]*\) .*/\1/p' "$timeline")

step "What is it waiting for?"
echo "\$ ncclhang $pid"
"$tool" "$pid"
rc=$?
[ $rc = 1 ] || die "ncclhang $pid ended with status $rc, not 1 (something found)"

step "The remedy from the report"
command=$("$tool" -f json "$pid" | remedy 2>/dev/null)
[ -n "$command" ] || die "the report names no remedy that ends the hang"
echo "\$ $command"
sh -c "$command" || die "the remedy failed: $command"

step "The abort returns"
wait_for 'ncclCommAbort returned' || die "the rank hangs still"
wait "$demo"
rc=$?
demo=
sed -n '/poll rounds/,$p' "$timeline" | sed 1d
[ $rc = 0 ] || die "the scene ended with status $rc"
