# shellcheck shell=sh
# What the live tests share: fixtures that hang, inspections of them, questions about what those
# said.  Sourced from the root of the repository: . tests/lib/live.sh
nh=$(realpath "$O")/ncclhang
# shellcheck disable=SC2034
fixtures=$(realpath "$O")/tests/live
python=$(python3 -c 'import sys; print(sys.executable)') || exit 1
tmp=$(mktemp -d) || exit 1
chmod 755 "$tmp"
# The workers of a fixture would outlive it.
tree() { # PID: it and its descendants
	# shellcheck disable=SC2013
	for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do tree "$child"; done
	echo "$1"
}
leave() {
	# shellcheck disable=SC2046
	kill $(for child in $children; do tree "$child"; done) 2>/dev/null
	rm -rf "$tmp"
}
trap leave EXIT
trap 'exit 1' INT TERM
n=0 children='' looks=''

# A fixture ends when its input does: its writer is this shell alone, however it ends.
mkfifo "$tmp/hold"
exec 9<>"$tmp/hold"

check() { # WHAT COMMAND...
	n=$((n + 1)) what=$1
	shift
	"$@"
	good=$?
	if [ $good = 0 ]; then echo "ok $n - $what"; else echo "not ok $n - $what"; fi
}
# passed WHAT STATUS: of what ran before
passed() { check "$1" [ "$2" = 0 ]; }
skip() { # WHAT WHY
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
done_testing() { echo "1..$n"; }
soon() { # COMMAND...: true within ten seconds
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.05
	done
}
not() { ! "$@"; }
lives() { state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) && [ "$state" != Z ]; }
gone() { ! lives "$1"; }

# start NAME COMMAND...: in the background, until its first line says what it is; one that ends with
# 77 cannot be had on this machine, and the test is skipped
stands() { grep -q '^pid=' "$tmp/$name.out" || ! kill -0 "$started"; }
start() {
	name=$1
	shift
	"$@" <"$tmp/hold" >"$tmp/$name.out" 2>&1 9>&- &
	started=$!
	children="$children $started"
	soon stands
	grep -q '^pid=' "$tmp/$name.out" && return
	kill -0 "$started" 2>/dev/null || wait "$started" || [ $? != 77 ] || {
		cat "$tmp/$name.out"
		exit 77
	}
	sed 's/^/# /' "$tmp/$name.out"
	check "$name stands" false
	exit 1
}
# value NAME KEY: from that line
value() { sed -n "1s/^\(.* \)\{0,1\}$2=\([0-9]*\).*/\2/p" "$tmp/$1.out"; }
# says NAME PATTERN: its output does
says() { grep -qs -- "$2" "$tmp/$1.out"; }

# run_look NAME COMMAND...: an inspection in the background: NAME.json, NAME.err, NAME.rc
run_look() {
	look=$1
	shift
	(
		"$@" >"$tmp/$look.json" 2>"$tmp/$look.err" </dev/null 9>&-
		echo $? >"$tmp/$look.rc"
	) &
	looks="$looks $!"
}
look() { # NAME ARGUMENTS...
	look=$1
	shift
	run_look "$look" "$nh" -f json "$@"
}
looked() { # all of them are done
	# shellcheck disable=SC2086
	wait $looks
	looks=
}
# exits NAME STATUS
exits() {
	[ "$(cat "$tmp/$1.rc")" = "$2" ] && return
	echo "# exit status $(cat "$tmp/$1.rc"), not $2"
	sed 's/^/# /' "$tmp/$1.err"
	head -n 1 "$tmp/$1.json" | cut -c 1-2000 | sed 's/^/# /'
	return 1
}
# ask NAME EXPRESSION: prints its value; see tests/lib/ask.py for what it may use
ask() { "$python" tests/lib/ask.py "$tmp/$1.json" "$2"; }
# tells NAME EXPRESSION: its value is true
tells() {
	answer=$(ask "$1" "$2") && [ "$answer" = True ] && return
	echo "# $2: $answer"
	head -n 1 "$tmp/$1.json" | cut -c 1-2000 | sed 's/^/# /'
	return 1
}
# helpers NAME: the children of a fixture that hold its socket
helpers() { echo "$(value "$1" helper),$(value "$1" helper2),$(value "$1" helper3)"; }
# convicts NAME CONFIDENCE HOLDER[,HOLDER...] FD: the first finding, its culprit and its whole chain
convicts() {
	tells "$1" "f.id == 'nccl-teardown-held-socket' and f.confidence == '$2' and
		c.pid in [$3] and c.fd == $4 and edges[0] == 'joins' and edges[-4:] ==
		['joins', 'polls', 'is connected to', 'is held open by']"
}
# finds_nothing NAME
finds_nothing() {
	exits "$1" 0 && tells "$1" "not fs and v.status in ('no-hang', 'nothing-to-inspect')"
}
# hides NAME WORDS: the holder is not visible, and a possibility that was seen is named
hides() {
	exits "$1" 2 && tells "$1" "f.id == 'nccl-teardown-held-socket' and
		f.confidence == 'possible' and not f.culprit and
		any('$2' in u for u in f.unknown or [])"
}
# fd_of INODE PID: under which number that process holds it, by the kernel's own listing
fd_of() {
	for fd in /proc/"$2"/fd/*; do
		[ "$(readlink "$fd")" = "socket:[$1]" ] && echo "${fd##*/}"
	done
}

# verdict NAME STATUS LINE PATH...: the brief report of files, with the culprit's and victims' ranks
verdict() {
	name=$1 want=$2 line=$3
	shift 3
	"$nh" report -v -f brief "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got = "$want" ] && [ "$(sed 's/culprit=- //' "$tmp/out")" = "$line" ]
	passed "$name" $?
	[ "$good" = 0 ] || sed "s/^/# $got: /" "$tmp/out" "$tmp/err"
}
# text PATH...: the text report of files, lines joined; told WHAT WORDS: it holds them
text() { "$nh" report "$@" 2>"$tmp/err" | tr -s ' \n' ' ' >"$tmp/text"; }
told() {
	grep -q -e "$2" "$tmp/text"
	passed "$1" $?
	[ "$good" = 0 ] || sed 's/^/# /' "$tmp/text"
}
