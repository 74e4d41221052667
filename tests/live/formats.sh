#!/bin/sh
# Pictures and tickets are read by other programs: graphviz draws every graph, and the Markdown is
# what GitHub and mermaid take.  Of stored cases and of a job that really hangs.
. tests/lib/live.sh

"$nh" demo close --for 60 >"$tmp/demo.out" &
children="$children $!"
soon grep -q '^pid=' "$tmp/demo.out"
pid=$(value demo pid)
holder=$(value demo holder)
"$nh" -o "$tmp/live.json" "$pid" >"$tmp/live.txt"
for case in tests/cases/*.json "$tmp/live.json"; do
	name=$(basename "$case" .json)
	"$nh" report -o "$tmp/$name.md" "$case" >/dev/null 2>&1
	"$nh" report -o "$tmp/$name.dot" "$case" >/dev/null 2>&1
done

check "every Markdown report is safe and its diagram well formed" \
	"$python" tests/lib/mermaid.py "$tmp"/*.md
check "the checker does not take everything" not "$python" tests/lib/mermaid.py "$tmp/live.txt" tests/lib/mermaid.py
check "the diagram ends in the holder" grep -q "^  n4\[\"pid $holder (helper)\"\]$" "$tmp/live.md"
check "and marks it" grep -q '^  class n4 culprit$' "$tmp/live.md"
check "stacks are folded into the ticket" grep -q '^<summary>Stacks</summary>$' "$tmp/live.md"

if command -v dot >/dev/null; then
	draws() {
		dot -Tsvg "$1" >"$tmp/svg" 2>"$tmp/dot.err" && [ ! -s "$tmp/dot.err" ] &&
			grep -q '</svg>' "$tmp/svg" && return
		sed 's/^/# /' "$tmp/dot.err"
		return 1
	}
	for graph in "$tmp"/*.dot; do
		check "graphviz draws $(basename "$graph")" draws "$graph"
	done
	check "the holder is filled in the picture" draws "$tmp/live.dot"
	check "by its name" grep -q "pid $holder (helper)" "$tmp/svg"
else
	skip "graphviz draws every graph" "no dot here"
fi
done_testing
