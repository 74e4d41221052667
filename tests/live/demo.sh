#!/bin/sh
# The demo's scenes really hang, or do not, as they claim; and nothing of them ever stays behind.
# The processes are looked at through /proc alone.
tool=$O/ncclhang
dir=$(mktemp -d) || exit 1
trap 'kill $(cat "$dir"/*.demo 2>/dev/null) 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
n=0

check() { # WHAT COMMAND...
	n=$((n + 1)) what=$1
	shift
	if "$@"; then
		echo "ok $n - $what"
	else
		echo "not ok $n - $what"
		sed 's/^/# /' "$line"
	fi
}
skip() { # WHAT WHY
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
soon() { # COMMAND...: true within five seconds
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.05
	done
}
says() { grep -qs -- "$1" "$line"; }
says_not() { ! says "$1"; }
lives() { state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) && [ "$state" != Z ]; }
gone() { ! lives "$1"; }
all_gone() { for p in $demo $pid $helper; do soon gone "$p" || return 1; done; }
waits_in() { # PID PATTERN: some thread does, as far as this kernel tells
	cat /proc/"$1"/task/*/wchan 2>/dev/null | grep -qE "^0*$|$2"
}
nthreads() { grep -q "^Threads:.$2$" "/proc/$1/status"; }
cmdline_is() { [ "$(tr -d '\0' <"/proc/$1/cmdline")" = "$2" ]; }
symbols() { nm "/proc/$pid/exe" 2>/dev/null | awk '{ print $NF }' | grep -E '^(nccl|comm)[A-Z]'; }
holds() { says "held by helper (pid $helper) fd [0-9]*$"; }
shared() { says "held by rank0 (pid $pid) fd [0-9]*, helper (pid $helper) fd [0-9]*$"; }
both_established() { [ "$(grep -c 'kernel: .* ESTABLISHED' "$line")" = 2 ]; }
ends_well() { wait "$demo"; }

# open_scene NAME ARGUMENTS...: starts it; $demo, $pid, $holder, $helper, $line describe it
open_scene() {
	line=$dir/$1
	: >"$line"
	"$tool" demo "$@" >"$line" 2>&1 &
	demo=$!
	echo $demo >"$line.demo"
	check "$1: stands" soon says '^pid='
	first=$(sed -n '1s/^pid=\([1-9][0-9]*\) holder=\([0-9]*\)$/\1 \2/p' "$line")
	pid=${first% *} holder=${first#* }
	helper=$(sed -n 's/.*helper is pid \([0-9]*\),.*/\1/p' "$line")
	check "$1: the first line names the rank and the holder" test -n "$pid"
}

for scene in close unread exec cross-rank 'close --stripped'; do
	# shellcheck disable=SC2086
	open_scene $scene
	check "$scene: the holder is the helper" [ "$holder" = "$helper" ]
	check "$scene: the holder is alive" lives "$holder"
	check "$scene: names of the processes" cmdline_is "$pid" rank0
	check "$scene: main, service and progress thread" nthreads "$pid" 3
	check "$scene: a thread joins" waits_in "$pid" futex
	check "$scene: a thread polls" waits_in "$pid" poll
	check "$scene: both ends are established" soon both_established
	check "$scene: the holder alone has the client end" holds
	check "$scene: rounds pass" soon says 'hangs: [0-9]* poll rounds without an event'
	check "$scene: the abort has not returned" says_not 'rank0: ncclCommAbort returned'
	case $scene in
	exec) check "exec: the helper runs another program" cmdline_is "$helper" helper ;;
	cross-rank)
		check "cross-rank: the other rank came out" says 'rank1: ncclCommAbort returned'
		check "cross-rank: the culprit is the other rank's child" \
			grep -q "^PPid:.$(sed -n 's/.*rank1: .* pid \([0-9]*\), service.*/\1/p' "$line")$" \
			"/proc/$helper/status"
		;;
	close)
		check "close: the stack can show the known names" \
			[ "$(symbols | grep -cE '^(ncclCommAbort|commReclaim|ncclProxyService)$')" = 3 ]
		check "close: commFree is inlined" [ "$(symbols | grep -c commFree)" = 0 ]
		;;
	*stripped) check "$scene: has no names" [ -z "$(symbols)" ] ;;
	esac
	kill "$holder"
	check "$scene: killing the holder releases the abort" soon says 'rank0: ncclCommAbort returned'
	case $scene in unread) saw=ECONNRESET ;; *) saw=EOF ;; esac
	check "$scene: the service thread saw $saw" says "service thread saw $saw .*npeers = 0"
	check "$scene: ends with status 0" ends_well
	check "$scene: nothing is left" all_gone
done

open_scene shutdown
check "shutdown: nobody is convicted" [ "$holder" = 0 ]
check "shutdown: the abort returned by EOF" says 'saw EOF'
check "shutdown: and returned at once" says 'rank0: ncclCommAbort returned'
check "shutdown: the rank can be inspected" lives "$pid"
check "shutdown: the helper can be inspected" lives "$helper"
kill -TERM "$demo"
check "shutdown: SIGTERM ends it with status 0" ends_well
check "shutdown: SIGTERM leaves nothing" all_gone

open_scene healthy --for 1
check "healthy: nobody is convicted" [ "$holder" = 0 ]
check "healthy: both ends are established" soon both_established
check "healthy: rank and helper share both" shared
check "healthy: nobody tears down" says_not called
check "healthy: ends by itself" ends_well
check "healthy: destroy says goodbye in spite of the helper" says 'ncclCommDestroy returned'
check "healthy: nothing is left" all_gone

open_scene close --for 1
check "close --for: ends by itself while it hangs" ends_well
check "close --for: nothing is left" all_gone

open_scene cross-rank
kill -KILL "$demo"
wait "$demo" 2>/dev/null
check "SIGKILL of the demo leaves nothing" all_gone

alone=
for f in "$tool" "$O/static/ncclhang"; do
	ldd "$f" 2>&1 | grep -qE 'not a dynamic|statically' && alone=$f
done
if [ -z "$alone" ] || [ "$(id -u)" != 0 ]; then
	skip "runs alone in an empty chroot" "needs root and a static build"
else
	mkdir "$dir/root" && cp "$alone" "$dir/root/ncclhang"
	line=$dir/chroot
	chroot "$dir/root" /ncclhang demo exec --for 1 >"$line" 2>&1
	check "runs alone in an empty chroot" says '^pid=[0-9]* holder=[1-9]'
	check "and says that there is no socket table" says 'kernel: no socket table here'
fi
echo "1..$n"
