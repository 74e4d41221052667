#!/bin/sh
# Python stacks are what sys._current_frames() says, function, file and line, in every CPython that
# is to be had: the system's, those of pyenv, and those of other Debian suites.  So are the holder
# of the GIL and those who want it, also in children that were forked behind Python's back.
. tests/lib/live.sh
. tests/lib/debian_python.sh
. tests/lib/pythons.sh

for which in trixie:3.13 sid:3.14 sid:3.15; do
	name=${which%:*}-${which#*:}
	if command=$(debian_python "${which%:*}" "${which#*:}"); then
		add "$name" "$command"
	else
		skip "$name" "it cannot be downloaded or does not run here"
	fi
done

# begin MODE: every interpreter with its threads, at once
begin() {
	for name in $known; do
		# shellcheck disable=SC2046
		$(cat "$tmp/$name.run") -W ignore tests/live/python_cases.py "$1" \
			<"$tmp/hold" >"$tmp/$name.out" 2>"$tmp/$name.stderr" 9>&- &
		children="$children $!"
	done
	# All of them start at once, on what may be a busy machine.
	for name in $known; do
		soon says "$name" '^stands' || soon says "$name" '^stands'
	done
}
end() {
	for name in $known; do kill -9 "$(value "$name" pid)" 2>/dev/null; done
}
# same NAME: the stacks are the truth
same() {
	"$python" tests/lib/python_truth.py "$tmp/$1.json" "$tmp/$1.out" >"$tmp/diff" && return
	cut -c 1-1000 "$tmp/diff" | sed 's/^/# /'
	sed 's/^/# /' "$tmp/$1.stderr" | head -n 5
	return 1
}
# Who wants the GIL wakes every 5 ms to ask for it anew, and may be met on its feet.
sees_gil() { # NAME PID
	for _ in 1 2 3 4 5; do
		tells "$1" "[i.holder for i in rows('interpreters') if len(i.waiters or []) == 2] == [$2]" \
			>"$tmp/gil" && return
		look "$1" --interval 0 "$2"
		looked
	done
	cat "$tmp/gil"
	return 1
}

for mode in plain gil fork syscall sub; do
	begin $mode
	for name in $known; do
		pid=$(value "$name" pid)
		look "$name" --interval 0 "$pid"
		looked
		check "$name, $mode: every stack is the truth" same "$name"
		if [ $mode = gil ]; then
			check "$name: the GIL's holder and who wants it" sees_gil "$name" "$pid"
		fi
		if [ $mode = sub ]; then
			check "$name: the sub-interpreter is listed" tells "$name" \
				"len([i for i in rows('interpreters') if i.pid == $pid]) == 2"
		fi
		if [ $mode = syscall ]; then
			check "$name: the threads that fork left behind are told" tells "$name" \
				"any('left behind by fork' in (i.note or '') for i in rows('interpreters'))"
		fi
	done
	if [ $mode = plain ]; then
		for how in --no-stop --consistent; do
			look system --interval 0 $how "$(value system pid)"
			looked
			check "system, $how: every stack is the truth" same system
		done
	fi
	end
done

# The files are gone, and the names are other ones.
system=$(cat "$tmp/system.run")
cp "$(readlink -f "$system")" "$tmp/renamed"
PYTHONHOME=$("$system" -c 'import sys; print(sys.prefix)') "$tmp/renamed" -W ignore \
	tests/live/python_cases.py plain <"$tmp/hold" >"$tmp/gone.out" 2>"$tmp/gone.stderr" 9>&- &
children="$children $!"
soon says gone '^stands'
rm "$tmp/renamed"
look gone --interval 0 "$(value gone pid)"
looked
check "a renamed, deleted executable: every stack is the truth" same gone
# In a pid namespace of its own: the program knows its threads by other numbers.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	# shellcheck disable=SC2086
	unshare --pid --fork --mount-proc $system -W ignore tests/live/python_cases.py plain \
		<"$tmp/hold" >"$tmp/inside.out" 2>"$tmp/inside.stderr" 9>&- &
	outside=$!
	children="$children $outside"
	soon says inside '^stands'
	pid=$(cat "/proc/$outside/task/$outside/children")
	look inside --interval 0 "${pid% }"
	looked
	check "in a pid namespace: every stack is the truth" same inside
	kill -9 "${pid% }"
else
	skip "in a pid namespace" "unshare is not allowed"
fi

# Threads on the run: nothing is invented, whatever was met.  Now and then all of them slip away.
invents_nothing() { # NAME OPTION
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		look "$1" --interval 0 $2 "$(value "$1" pid)"
		looked
		tells "$1" "[f for s in rows('stacks') for f in s.frames if f.python and (f.line <= 0 or not (
			f.func in ('work', 'spin', 'short', 'make', '<module>', '<genexpr>',
			'work.<locals>.<genexpr>') or f.file.endswith(('/threading.py', '/_weakrefset.py'))))
			] == []" || return
		tells "$1" "any(f.python for s in rows('stacks') for f in s.frames)" >/dev/null && return
	done
	return 1
}
for which in $known; do
	churn=churn-$which
	read -r command <"$tmp/$which.run"
	# shellcheck disable=SC2086
	start "$churn" $command -W ignore tests/live/python_churn.py
	for how in '' --consistent; do
		check "$which, running threads${how:+, $how}: no frame is made up" \
			invents_nothing "$churn" "$how"
	done
	kill -9 "$(value "$churn" pid)"
done
done_testing
