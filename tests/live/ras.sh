#!/bin/sh
# --ras: asks only when asked, whatever answers; and nothing that answers badly holds it up.
. tests/lib/live.sh

asked() { # NAME ADDRESS OPTION...: inspects a process that has its RAS service there
	of=$1 address=$2
	shift 2
	start "p-$of" env NCCL_RAS_ADDR="$address" "$fixtures/mapped"
	look "$of" --interval 0 --timeout 3 "$@" "$(value "p-$of" pid)"
}
# within NAME SECONDS: it did not take longer
within() { tells "$1" "h.duration_ms < $2 * 1000"; }

for manner in answer slow silent garbage cut; do
	start "$manner" "$python" tests/lib/ras.py "$manner"
	where=127.0.0.1
	[ "$manner" = answer ] && where=localhost
	asked "ask-$manner" "$where:$(value "$manner" port)" --ras
done
asked refused "127.0.0.1:1" --ras
asked name "no-such-host.example:28028" --ras
asked unasked "localhost:$(value answer port)"
asked redacted "localhost:$(value answer port)" --ras --redact
start off env NCCL_RAS_ENABLE=0 "$fixtures/mapped"
look off --interval 0 --ras "$(value off pid)"
# Versions are told by the file's name alone here.
for version in 2.25.1 2.23.4; do
	echo 'int none;' | ${CC:-cc} -x c - -shared -fPIC -o "$tmp/libnccl.so.$version"
done
start risky env NCCL_RAS_ADDR="localhost:$(value answer port)" "$fixtures/mapped" "$tmp/libnccl.so.2.25.1"
look risky --interval 0 --ras "$(value risky pid)"
start old "$fixtures/mapped" "$tmp/libnccl.so.2.23.4"
look old --interval 0 --ras "$(value old pid)"
apart=
if unshare -n true 2>/dev/null; then
	apart=yes
	start apart unshare -n "$fixtures/mapped"
	look apart --interval 0 --ras "$(value apart pid)"
fi
looked

check "an answer becomes rows" tells ask-answer \
	"rows('ras')[0].text == 'NCCL version 2.28.9 compiled with CUDA 13.0' and
	[r.line or 0 for r in rows('ras')] == list(range(len(rows('ras')))) and
	rows('ras')[0].address == '[::1]:$(value answer port)'"
check "the whole of it" tells ask-answer "any('2 communication timeouts' in (r.text or '') for r in rows('ras'))"
check "nothing is missing then" tells ask-answer "not any('RAS' in g for g in gaps)"
check "the answer is in the report" sh -c "'$nh' report '$tmp/ask-answer.json' | grep -q 'Missing communicator data'"
check "unasked: nothing is connected to" tells unasked "not rows('ras')"
check "redacted: no address of a node" sh -c "! grep -q 10.9.8.7 '$tmp/redacted.json'"
check "redacted: the complaint stays" tells redacted "any('INCOMPLETE' in (r.text or '') for r in rows('ras'))"

check "slow: what came in time is kept" tells ask-slow "len(rows('ras')) > 2"
check "slow: and that it was cut is said" tells ask-slow "any('did not come to its end' in g for g in gaps)"
check "slow: control characters are harmless" sh -c "! '$nh' report '$tmp/ask-slow.json' | grep -q \"\$(printf '\\033')\""
check "silent: said" tells ask-silent "any('did not answer in time' in g for g in gaps) and not rows('ras')"
check "garbage: said" tells ask-garbage "any('is no RAS service' in g for g in gaps) and not rows('ras')"
check "cut: what came is kept" tells ask-cut "0 < len(rows('ras')) < 10"
check "refused: said" tells refused "any('nobody listens' in g for g in gaps)"
check "a name: said" tells name "any('no numeric address' in g for g in gaps)"
check "switched off: said" tells off "any('no process here' in g for g in gaps)"
check "2.25.1: the risk is said" tells risky "rows('ras') and any('#1669' in g for g in gaps)"
check "2.23.4 has no RAS: not asked" tells old "any('no process here' in g for g in gaps)"
if [ -n "$apart" ]; then
	check "another network namespace: said, with the command" tells apart \
		"any('nsenter -t $(value apart pid) -n' in g for g in gaps)"
else
	skip "another network namespace" "no unshare -n here"
fi
for name in ask-answer ask-slow ask-silent ask-garbage ask-cut refused name; do
	check "$name: within the deadline" within $name 3.2
	check "$name: the verdict does not depend on it" exits $name 0
done
done_testing
