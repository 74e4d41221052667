#!/bin/sh
# Where a report or a case goes: full disks, closed doors, and a real pdsh in between.
. tests/lib/live.sh

start service "$fixtures/service" helpers
pid=$(value service pid)
look first "$pid"

# said STATUS COMMAND...: ends so, with one line on stderr and nothing on stdout
said() {
	want=$1
	shift
	"$@" >"$tmp/stdout" 2>"$tmp/stderr"
	got=$?
	[ $got = "$want" ] && [ ! -s "$tmp/stdout" ] && [ "$(wc -l <"$tmp/stderr")" = 1 ] && return
	echo "# status $got, stdout $(wc -c <"$tmp/stdout") bytes; stderr:"
	sed 's/^/# /' "$tmp/stderr"
	return 1
}
if [ "$(id -u)" != 0 ]; then
	skip "a full disk" "needs root to mount one"
	skip "a directory without permission" "needs root to be somebody else"
else
	cat >"$tmp/full" <<-'END'
		mkdir "$tmp/small" && mount -t tmpfs -o size=8k none "$tmp/small" || exit 77
		echo kept >"$tmp/small/case.json"
		"$nh" --interval 0 -f json -o "$tmp/small/case.json" "$pid"
		rc=$?
		ls -A "$tmp/small" >"$tmp/listing"
		cat "$tmp/small/case.json" >"$tmp/content"
		exit $rc
	END
	export nh tmp pid
	check "a full disk: 74" said 74 unshare -m sh "$tmp/full"
	check "a full disk: the reason" grep -q 'No space left on device' "$tmp/stderr"
	check "a full disk: nothing half-written stays" [ "$(cat "$tmp/listing")" = case.json ]
	check "a full disk: the old file stays" [ "$(cat "$tmp/content")" = kept ]
	cp "$nh" "$tmp/ncclhang"
	check "a directory without permission: 74" said 74 setpriv --reuid=65534 --clear-groups \
		"$tmp/ncclhang" --interval 0 -f json -o "$tmp/case.json" "$pid"
	check "a directory without permission: the reason" grep -q 'Permission denied' "$tmp/stderr"
fi
check "-o /dev/full: 74" said 74 "$nh" --interval 0 -f json -o /dev/full "$pid"
check "-o /dev/full: it stays a device" [ -c /dev/full ]
"$nh" --interval 0 -f json "$pid" 2>"$tmp/stderr" | head -n 1 >"$tmp/stdout"
check "| head -1: the first line, no noise" \
	[ "$(wc -l <"$tmp/stdout"):$(wc -c <"$tmp/stderr")" = 1:0 ]
looked

# More rows of the same make, of processes that do not exist, until it is 5 MB.
"$python" - "$tmp/first.json" >"$tmp/big.json" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
end = lines.pop()
threads = next(line for line in lines if "threads" in line)["threads"]
size = len(json.dumps(threads))
for i in range(1, (5 << 20) // size + 2):
    rows = [dict(row, pid=row["pid"] + 5000000 * i) for row in threads]
    lines.append({"case": end["case"], "n": len(lines), "threads": rows})
for line in lines + [dict(end, n=len(lines))]:
    print(json.dumps(line))
END
check "a case of 5 MB" [ "$(wc -c <"$tmp/big.json")" -ge 5242880 ]
"$nh" report "$tmp/first.json" >"$tmp/direct"
if ! pdsh -R exec -w h1 true 2>/dev/null; then
	skip "pdsh" "no pdsh with its exec module"
else
	pdsh -N -R exec -w h1 cat "$tmp/big.json" >"$tmp/arrived.json" 2>"$tmp/stderr"
	check "pdsh -N: byte-identical" cmp "$tmp/big.json" "$tmp/arrived.json"
	"$nh" report "$tmp/arrived.json" >"$tmp/again" 2>"$tmp/stderr"
	check "pdsh -N: reads back with status 1" [ $? = 1 ]
	check "pdsh -N: nothing to complain about" [ ! -s "$tmp/stderr" ]
	pdsh -R exec -w h1 cat "$tmp/big.json" >"$tmp/labelled.json" 2>"$tmp/stderr"
	"$nh" report -f brief -v "$tmp/labelled.json" >"$tmp/stdout" 2>"$tmp/stderr"
	check "pdsh with labels: reads back with status 1" [ $? = 1 ]
	check "pdsh with labels: nothing to complain about" [ ! -s "$tmp/stderr" ]
	pdsh -f 3 -R exec -w h1,h2,h3 "$nh" -f json "$pid" >"$tmp/three" 2>"$tmp/stderr"
	"$nh" report -f json "$tmp/three" >"$tmp/merged.json" 2>"$tmp/stderr"
	check "three commands at once: status 1" [ $? = 1 ]
	check "three commands at once: nothing to complain about" [ ! -s "$tmp/stderr" ]
	check "three commands at once: three whole cases" tells merged \
		"len({line.case for line in lines if line.asked}) == 3 and
		sum(1 for line in lines if line.end) == 4"
fi

# Line by line in turn, whatever pdsh happened to do.
for i in 1 2 3; do
	look turn$i --interval 0 "$pid"
done
looked
paste -d '\n' "$tmp/turn1.json" "$tmp/turn2.json" "$tmp/turn3.json" | sed '/^$/d' |
	awk '{ print "h" (NR % 3) ": " $0 }' >"$tmp/turns"
"$nh" report -f json "$tmp/turns" >"$tmp/merged.json" 2>"$tmp/stderr"
check "interleaved lines: status 1" [ $? = 1 ]
check "interleaved lines: nothing to complain about" [ ! -s "$tmp/stderr" ]
check "interleaved lines: three whole cases" tells merged \
	"len({line.case for line in lines if line.asked}) == 3"
sed '5d' "$tmp/turns" | "$nh" report -f json - >"$tmp/merged.json" 2>"$tmp/stderr"
check "a lost line is noticed" tells merged "any('line' in g for g in gaps)"
head -c 3000 "$tmp/turn1.json" | "$nh" report -f json - >"$tmp/merged.json" 2>"$tmp/stderr"
check "a cut case is noticed" [ $? != 0 ]
check "and named" grep -q 'line' "$tmp/stderr" "$tmp/merged.json"
done_testing
