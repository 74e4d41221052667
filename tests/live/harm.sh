#!/bin/sh
# Looking changes nothing: not the target's state, not its system calls, not its pace; also when
# the one who looks is killed at any moment.
. tests/lib/live.sh

start probe "$fixtures/probe"
pid=$(value probe pid)
start close "$nh" demo close --for 100
hung=$(value close pid)
cp "$nh" "$tmp/ncclhang"

# Everything a stop, a signal or a wake-up would leave a trace in, of every thread that just waits.
traces() { # PID EXCEPT...: without the threads that wake up by themselves
	for task in /proc/"$1"/task/*; do
		case " $2 $3 " in *" ${task##*/} "*) continue ;; esac
		echo "thread ${task##*/}: $(cat "$task/syscall" "$task/wchan")"
		grep -E '^(State|TracerPid|SigPnd|ShdPnd|SigBlk|SigIgn|voluntary|nonvoluntary)' "$task/status"
	done
}
all_traces() {
	traces "$pid" "$pid" "$(value probe ticker)"
	traces "$hung" "$service"
}
traced_or_stopped() {
	cat /proc/"$pid"/task/*/status /proc/"$hung"/task/*/status |
		grep -E '^(TracerPid:.*[1-9]|State:.[tT])'
}
measured() { # the probe's answer
	lines=$(wc -l <"$tmp/probe.out")
	echo >&9
	# shellcheck disable=SC2016
	soon sh -c '[ "$(wc -l <"$1")" -gt "$2" ]' sh "$tmp/probe.out" "$lines"
	tail -n 1 "$tmp/probe.out"
}

# The demo's timeline names the service thread.
check "the demo names its service thread" soon says close 'service thread [0-9]'
service=$(sed -n 's/.*service thread \([0-9][0-9]*\).*/\1/p' "$tmp/close.out")
all_traces >"$tmp/before"
check "six threads are watched" [ "$(grep -c '^thread' "$tmp/before")" = 6 ]

best=1000000 interrupted=0
for how in "--interval 1" "--interval 0" "--no-stop --interval 0.2" "-v --interval 0.5"; do
	measured >"$tmp/answer"
	for target in $pid $hung; do
		# shellcheck disable=SC2086
		"$nh" $how "$target" >"$tmp/report" 2>&1
	done
	measured >"$tmp/answer"
	longest=$(sed -n 's/.*longest_us=//p' "$tmp/answer")
	interrupted=$((interrupted + $(sed -n 's/.*interrupted=\([0-9]*\) .*/\1/p' "$tmp/answer")))
	[ "$longest" -lt "$best" ] && best=$longest
done
echo "# longest pause of the pace-maker: $best us"
check "no call was interrupted" [ $interrupted = 0 ]
# On a busy machine anybody is kept waiting now and then; who stops a target does it each time.
check "not kept away for 50 ms" [ "$best" -lt 50000 ]

# Whoever looks may die at any instant, and so may its worker.
kill_one() { # NUMBER
	"$tmp/ncclhang" --interval 0.25 "$hung" >"$tmp/killed" 2>&1 &
	victim=$!
	sleep "$(printf '0.%03d' $(($(od -An -N2 -tu2 /dev/urandom) % 400)))"
	[ $(($1 % 2)) = 1 ] && victim=$(cat "/proc/$!/task/$!/children")
	# shellcheck disable=SC2086
	kill -KILL $victim
	wait $!
}
(
	for i in $(seq 40); do
		kill_one "$i" 2>/dev/null &
		[ $((i % 8)) = 0 ] && wait
	done
) 9>&-
sleep 1
left=0
for exe in /proc/[0-9]*/exe; do
	[ "$(readlink "$exe")" = "$tmp/ncclhang" ] && left=$((left + 1))
done
check "nothing of the killed ones is left" [ $left = 0 ]
check "nobody is traced or stopped" not traced_or_stopped
all_traces >"$tmp/after"
check "no waiting thread has noticed anything" cmp "$tmp/before" "$tmp/after"
diff "$tmp/before" "$tmp/after" | sed 's/^/# /'
done_testing
