#!/bin/sh
# Each stored case must give the expected report, verdict and exit status; --rewrite makes what they
# give now the expected.  NAME.txt: text; NAME.brief: brief, brief -v, status; NAME.json: first line;
# NAME.md, NAME.dot: those formats.
nh=$O/ncclhang
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ "$1" = --rewrite ] && mkdir -p tests/golden && rm -f tests/golden/*
unset COLUMNS NO_COLOR
export TERM=dumb TZ=UTC LC_ALL=C
n=0
check() { # WHAT, and a status
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}

for case in tests/cases/*.json; do
	name=$(basename "$case" .json)
	"$nh" report "$case" >"$tmp/$name.txt" 2>&1
	{
		"$nh" report -f brief "$case"
		"$nh" report -f brief -v "$case"
		echo "exit status $?"
	} >"$tmp/$name.brief" 2>/dev/null
	# One member a line, so that a difference can be read.
	"$nh" report -f json "$case" 2>/dev/null | head -n 1 | sed 's/,\({*"\)/,\n\1/g' >"$tmp/$name.json"
	"$nh" report -f markdown "$case" >"$tmp/$name.md" 2>/dev/null
	"$nh" report -f dot "$case" >"$tmp/$name.dot" 2>/dev/null
	for kind in txt brief json md dot; do
		if [ "$1" = --rewrite ]; then
			cp "$tmp/$name.$kind" tests/golden/
		else
			diff -u "tests/golden/$name.$kind" "$tmp/$name.$kind" >"$tmp/diff" 2>&1
			check "$name.$kind" $?
			sed 's/^/# /' "$tmp/diff"
		fi
	done
	[ "$1" = --rewrite ] && continue
	"$nh" report -f json "$case" 2>/dev/null | "$nh" report -f brief -v - 2>/dev/null >"$tmp/again"
	[ "$(cat "$tmp/again")" = "$("$nh" report -f brief -v "$case" 2>/dev/null)" ]
	check "$name says the same when it was written and read again" $?
done
[ "$1" = --rewrite ] && exit
for golden in tests/golden/*; do
	name=${golden##*/}
	[ -e "tests/cases/${name%.*}.json" ]
	check "$name has its case" $?
done
echo "1..$n"
