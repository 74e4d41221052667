#!/bin/bash
# What the search for a holder costs on a host with many descriptors, next to the tools one would
# take instead.  Rounds are interleaved, so that a busy moment hits all of them; medians are printed.
# Usage: bench.sh [PROCESSES DESCRIPTORS]
nh=$O/ncclhang
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@" # for time and coproc
processes=${1:-60} each=${2:-5000} rounds=5
dir=$(mktemp -d)
demo='' crowd=''
trap 'kill $demo $crowd 2>/dev/null; wait; rm -rf "$dir"' EXIT

# measure NAME COMMAND...: appends "wall cpu", both in ms
measure() {
	local name=$1 TIMEFORMAT='%R %U %S'
	shift
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 * 1000, ($2 + $3) * 1000 }' >>"$dir/$name"
}
median() { # NAME COLUMN
	sort -n -k "$2,$2" "$dir/$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}
row() { # NAME
	awk -v n="$1" -v wall="$(median "$1" 1)" -v cpu="$(median "$1" 2)" -v base="$(median ncclhang 2)" \
		'BEGIN { printf "  %-12s %8.0f ms wall  %8.0f ms CPU", n, wall, cpu
			 if (n != "ncclhang" && base) printf "  %6.1f x", cpu / base
			 print "" }'
}
hang() { "$nh" --interval 0 -f brief "$pid"; }

"$nh" demo close --for 600 >"$dir/demo" &
demo=$!
until grep -q 'hangs:' "$dir/demo"; do sleep 0.1; done
pid=$(sed -n '1s/^pid=\([0-9]*\) .*/\1/p' "$dir/demo")
hang
for _ in $(seq $rounds); do measure quiet hang; done
echo "first verdict on a quiet host: $(median quiet 1) ms wall, $(median quiet 2) ms CPU (one sample)"

coproc MANY { "$O/tests/live/manyfds" "$processes" "$each"; }
crowd=$!
read -r _ <&"${MANY[0]}" || exit 1
hang
for round in $(seq $rounds); do
	measure ncclhang hang
	command -v ss >/dev/null && measure ss ss -tanp
	[ "$round" = 1 ] && command -v lsof >/dev/null && measure lsof lsof -nP
done
echo "with $processes processes of $each descriptors more (medians; x = CPU time against ncclhang's):"
for name in ncclhang ss lsof; do
	[ -e "$dir/$name" ] && row $name
done
kill $crowd
python3 tests/bench_stacks.py "$nh" "$O/tests/live/probe"
python3 tests/bench_host.py "$nh" "$O/tests/bench_edges" "$O/tests/live/probe"
exit 0
