#!/bin/sh
# The GIL's holder waits for who wants it: a cycle through a mutex, through a child, over nothing
# that can be read, with itself; and holders that will give it back.
. tests/lib/live.sh
. tests/lib/pythons.sh

# shellcheck disable=SC2086
${CC:-cc} -g -O1 -shared -fPIC -pthread -o "$tmp/native.so" tests/live/gil/native.c -ldl || exit 1

# begin PYTHON MODE
begin() {
	# shellcheck disable=SC2046
	start "$1-$2" $(cat "$tmp/$1.run") tests/live/gil.py "$tmp/native.so" "$2"
}
convicts() { # NAME CONFIDENCE
	exits "$1" 1 && tells "$1" "f.id == 'gil-deadlock' and f.confidence == '$2' and len(fs) == 1 and
		c.pid == $(value "$1" pid) and c.tid == $(value "$1" pid)"
}

end() { # NAME
	kill -9 "$(value "$1" pid)" 2>/dev/null
}
# examine PYTHON MODE...: all at once, and no more of them: some never rest
examine() {
	which=$1 names=''
	shift
	for mode; do
		begin "$which" "$mode"
		names="$names $which-$mode"
	done
	sleep 0.3
	for name in $names; do
		look "$name" "$(value "$name" pid)"
	done
	[ "$names" = " system-wait_for_mutex" ] && look once --interval 0 "$(value system-wait_for_mutex pid)"
	looked
	for name in $names; do
		case $name in
		*-wait_for_mutex | *-take_again) check "$name: confirmed" convicts "$name" confirmed ;;
		*-wait_for_post | *-MPI_Wait | *-cuStream* | *-child | *-pipe)
			check "$name: likely" convicts "$name" likely
			;;
		*) check "$name: nothing found" finds_nothing "$name" ;;
		esac
		end "$name"
	done
}

for which in $known; do
	examine "$which" wait_for_mutex
	case $which in
	# From 3.13 on it aborts instead.
	pyenv-3.1[3-9].*) ;;
	*) examine "$which" take_again ;;
	esac
done
examine system wait_for_post MPI_Wait cuStreamSynchronize child pipe
examine system release nap
examine system turns
examine system spin

check "mutex: the lock and the GIL" tells system-wait_for_mutex \
	"edges == ['wants the lock of', 'wants the GIL of']"
check "mutex: the other wanter is a victim too" tells system-wait_for_mutex \
	"$(value system-wait_for_mutex wanter) in [v.tid for v in f.victims]"
check "self: one arrow, to itself" tells system-take_again \
	"edges == ['wants the GIL of'] and f.chain[0]['from'] == f.chain[0].to"
check "one sample: likely" tells once "f.id == 'gil-deadlock' and f.confidence == 'likely'"
check "MPI: the function is named" tells system-MPI_Wait "'MPI_Wait' in f.chain[-1].fact"
done_testing
