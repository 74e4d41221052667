#!/bin/sh
# The unmodified NCCL, without a GPU: really hung and really healthy communicators.  Each verdict
# is held against what the scene's own driver knows, and then its remedies have to work.
# NCCL_LIB names the library to use; KEEP_CASES, a directory in which to keep the cases, redacted.
# shellcheck disable=SC2154  # pid, holder … come from the scene's first line
tool=$O/ncclhang
own=$O/tests/live/nccl
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

candidates() {
	[ -z "$NCCL_LIB" ] || echo "$NCCL_LIB"
	echo "${CUDA_HOME:-/usr/local/cuda}/lib64/libnccl.so.2"
	PATH=$PATH:/sbin ldconfig -p | sed -n 's/.*libnccl\.so\.2 .*=> //p'
}
find_library() {
	why="no libnccl.so.2 found (NCCL_LIB can name one)"
	[ "$(uname -m)" = x86_64 ] || { why="the fake CUDA is for x86_64 only" && return 1; }
	for lib in $(candidates); do
		[ -r "$lib" ] || continue
		nm "$lib" 2>/dev/null | grep -q ' [Tt] cudaMalloc$' && return
		why="$lib has no symbol table through which to put a fake CUDA under it"
	done
	return 1
}
find_library || { echo "$why" && exit 77; }
make -s -f tests/live/nccl/Makefile O="$O" CC="${CC:-cc}" || exit 1

check() { # WHAT COMMAND...
	what=$1
	shift
	if "$@"; then
		echo "ok - $scene$kind: $what"
	else
		echo "not ok - $scene$kind: $what"
		cat "$out" "$err" "$brief" "$report" 2>/dev/null | sed 's/^/# /'
	fi
}
skip() { # WHAT WHY
	echo "ok - $scene$kind: $1 # SKIP $2"
}
soon() { # COMMAND...: true within 30 seconds
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.05
	done
}
says() { grep -qsE -- "$1" "$out"; }
says_not() { ! says "$1"; }
reports() { grep -qE -- "$1" "$report"; }
convicts_nobody() { grep -q '^no-hang - - victims=0' "$brief"; }
first_line() { sed -n "1s/.*\b$1=\([0-9,]*\).*/\1/p" "$out"; }
lives() { state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) && [ "$state" != Z ]; }
gone() { ! lives "$1"; }

stands_or_failed() { says '^pid=' || gone "$driver"; }
is_untraced() { grep -q '^TracerPid:.0$' "/proc/$1/status"; }

# open_scene SCENE [stripped]: starts it; its first line becomes variables
open_scene() {
	scene=$1 kind=${2:+ ($2)} use=${2:+$dir/$2/libnccl.so.2}
	name=nccl-$scene${2:+-$2}
	file=$(mktemp -d "$dir/play.XXXXXX")/scene out=$file.out err=$file.err in=$file.in
	report=$file.txt case=$file.json brief=$file.brief
	mkfifo "$in"
	"$own/scene" "${use:-$lib}" "$scene" "$lib" <"$in" >"$out" 2>"$err" &
	driver=$!
	exec 3>"$in"
	soon stands_or_failed
	check "stands" says '^pid='
	says '^pid=' || return
	pid=$(first_line pid) actor=$(first_line actor) service=$(first_line service)
	holder=$(first_line holder) fd=$(first_line fd) opener=$(first_line opener)
}
# Closing stdin ends a scene; nothing of it may stay.
close_scene() {
	exec 3>&-
	for p in $pid $opener $(echo "$holder" | tr , ' '); do
		[ "$p" = 0 ] || check "nothing of it is left" soon gone "$p"
	done
}

# inspect STATUS OPTIONS...: one look; its text in $report, and from its case one line in $brief
inspect() {
	wanted=$1
	shift
	"$tool" "$@" -o "$case" "$pid" >"$report" 2>>"$err"
	got=$?
	check "exit status $wanted, is $got" [ $got = "$wanted" ]
	"$tool" report -f brief -v "$case" >"$brief" 2>>"$err"
	check "the case gives the same status" [ $? = $got ]
	kept=$KEEP_CASES/$name.json
	[ -z "$KEEP_CASES" ] || [ -e "$kept" ] ||
		"$tool" report --redact -o "$kept" "$case" >/dev/null
}
names() { # ID CONFIDENCE: convicted, and who
	found=$(grep -E "^hang $1 $2 .* victim-pids=([0-9]+,)*$pid(,|\$)" "$brief") || return
	culprit=$(echo "$found" | sed 's/.* pid=\([0-9]*\).*/\1/')
	culprit_fd=$(echo "$found" | sed 's/.* fd=\([0-9]*\).*/\1/')
}
is_holder() { case ,$holder, in *,"$1",*) ;; *) return 1 ;; esac }

# The kernel's own word on both ends of the connection: INODE LOCAL REMOTE STATE
inode() { readlink "/proc/$1/fd/$2" | tr -dc 0-9; }
row() { awk -v i="$1" '$10 == i { print $2, $3, $4 }' "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6"; }
is_established() {
	case $(row "$1") in *" 01") ;; *) return 1 ;; esac
}
other_end() { # INODE: of the mirrored row
	row "$1" | {
		read -r local remote _
		cat "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6" |
			awk -v l="$local" -v r="$remote" '$2 == r && $3 == l { print $10 }'
	}
}
has_socket() { find "/proc/$1/fd" -lname "socket:?$2?" | grep -q .; }
has_not_socket() { ! has_socket "$@"; }

check_chain() {
	far=$(inode "$culprit" "$culprit_fd")
	near=$(other_end "$far")
	check "the holder's end is established" is_established "$far"
	check "the service thread's end is established" is_established "$near"
	check "the victim has that end" has_socket "$pid" "$near"
	check "the victim has not the holder's end" has_not_socket "$pid" "$far"
	check "the chain has the thread in teardown" reports "^  thread $actor .* of pid $pid"
	check "the chain has the service thread" reports "^  thread $service .* of pid $pid"
	check "the chain has the service thread's end" reports "^  TCP .*, inode $near\$"
	check "the chain has the holder's end" reports "^  TCP .*, inode $far\$"
	check "the chain ends in the holder" reports "^  pid $culprit "
	check "threads have their roles without names" reports 'NCCL( proxy|$)'
	check "the stack names the call that does not return" reports '#[0-9]+ +p?ncclComm(Abort|Destroy)\+'
}
# What the report says to do, as it says it; the second form spares the holder.
do_as_told() { # PATTERN
	reports "$1" && grep -E -- "$1" "$report" | sh 2>>"$err"
}
release() {
	case $1 in
	kill) do_as_told '^ *\[ .* && kill [0-9]+$' ;;
	reset) do_as_told '^ *nsenter .* ss -K' >/dev/null ;;
	close) echo "close $culprit_fd" >&3 ;;
	end) for p in $(echo "$holder" | tr , ' '); do kill "$p"; done ;;
	esac
}
can_reset() {
	[ "$(id -u)" = 0 ] || { why="needs root" && return 1; }
	command -v nsenter >/dev/null || { why="no nsenter" && return 1; }
	why="the kernel cannot destroy sockets"
	ss -K dst 192.0.2.1 2>&1 | grep -q 'not supported' && return 1
	return 0
}

# held SCENE RANK REMEDY [stripped]: RANK returns when released
held() {
	open_scene "$1" "$4" || return
	inspect 1
	check "convicts" names nccl-teardown-held-socket confirmed
	check "the culprit holds it" is_holder "$culprit"
	check "the descriptor is the one" [ "$culprit_fd" = "$fd" ]
	check_chain
	check "is not traced" is_untraced "$pid"
	check "still hangs after having been looked at" says_not "^rank $2: returned"
	if [ "$3" = reset ] && ! can_reset; then
		skip "remedy: $3" "$why"
	else
		check "remedy: $3" release "$3"
		check "and the call returns" soon says "^rank $2: returned 0"
	fi
	close_scene
}
healthy() { # SCENE
	open_scene "$1" || return
	inspect 0
	check "convicts nobody" convicts_nobody
	close_scene
}
# Teardown that works convicts nobody while it runs or after.
prompt() { # SCENE
	open_scene "$1" || return
	echo go >&3
	inspect 0 --interval 0.2
	check "returns" soon says '^rank 0: returned 0'
	inspect 0
	close_scene
}
# The scenes themselves: whatever ends the driver, nothing stays.
killed() {
	open_scene orphan || return
	kill -KILL "$driver"
	close_scene
}
stray() { # [stripped]
	open_scene stray "$1" || return
	inspect 1
	check "convicts" names nccl-stray-client '(confirmed|likely)'
	check "the culprit is the client" is_holder "$culprit"
	check "the descriptor is the one" [ "$culprit_fd" = "$fd" ]
	check "remedy: kill" release kill
	check "and the call returns" soon says '^rank 0: returned 0'
	close_scene
}
peer_rank() { # [stripped]
	open_scene peer-rank "$1" || return
	inspect 1
	check "convicts" names nccl-teardown-peer-rank confirmed
	check "the culprit is a live rank" is_holder "$culprit"
	release end
	check "when they have ended, the call returns" soon says '^rank 2: returned 0'
	close_scene
}
init() { # [stripped]
	open_scene init "$1" || return
	sleep 5 # younger than that it is only a suspicion
	inspect 1
	check "convicts" names nccl-init-wait likely
	close_scene
}

# lane PLAYS...: one after another, in a process each; its TAP in a file of its own
lane() {
	for play; do
		# shellcheck disable=SC2086
		($play)
	done >"$(mktemp "$dir/tap.XXXXXX")" 2>&1
}
mkdir "$dir/stripped"
strip -s -o "$dir/stripped/libnccl.so.2" "$lib" || exit 1
lane 'held held-exec 0 reset' 'held held-comms 0 kill stripped' 'held orphan 2 kill' \
	'held held-thread 0 reset stripped' 'held cross-rank 2 kill' &
lane 'healthy healthy' 'held held-three 0 kill' 'held held-exec 0 kill stripped' \
	'held cross-rank 2 reset stripped' peer_rank 'peer_rank stripped' &
lane 'healthy healthy-ranks' 'held held-comms 0 close' 'held held 0 reset stripped' \
	'held orphan 2 kill stripped' stray 'stray stripped' &
lane 'prompt abort' 'prompt destroy' 'init stripped' killed 'held held 0 close' 'held held-thread 0 kill' \
	'held held-three 0 kill stripped' init &
wait
cat "$dir"/tap.* |
	awk '/^(not )?ok - /{ n++; sub(/ok /, "ok " n " ") } { print } END { print "1.." n }'
