#!/bin/sh
# What every command promises about its streams, files and exit status.
# shellcheck disable=SC2016  # the inner shells expand their own arguments
nh=$PWD/$O/ncclhang
case $O in /*) nh=$O/ncclhang ;; esac
tmp=$(mktemp -d)
sleep 60 &
sleeper=$!
trap 'kill $sleeper; rm -rf "$tmp"' EXIT
n=0
check() { # WHAT, and a status
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}
# status WANT COMMAND...: stdout and stderr to files, the exit status compared.
status() {
	want=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ "$got" = "$want" ]
	check "exit $want: ${1##*/} $2 $3" $?
	[ "$got" = "$want" ] || sed "s/^/# got $got: /" "$tmp/err"
}
one_line_error() {
	[ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "^ncclhang: $1" "$tmp/err"
	check "says in one line: $1" $?
}
cd "$tmp" || exit 1

status 64 "$nh" --foo
one_line_error "unknown option '--foo'; try 'ncclhang --help'"
status 64 "$nh" -t 1 --interval 1 $sleeper
one_line_error "--interval (1 s) must be shorter than --timeout (1 s)"
status 64 "$nh" -o case.xml $sleeper
one_line_error "--output: no format known for 'case.xml'"
status 64 "$nh" demo clsoe
one_line_error "unknown scene 'clsoe' (did you mean 'close'?)"
status 66 "$nh" 4194303
one_line_error ".*4194303"
status 66 "$nh" --root /nonexistent
one_line_error "--root: /nonexistent: No such file or directory"
status 66 "$nh" report /nonexistent
one_line_error "/nonexistent: No such file or directory"
status 66 "$nh" report "$(printf 'a\033[2Jb')"
one_line_error 'a\\x1b\[2Jb'
mkdir empty
status 2 "$nh" report empty
one_line_error "inconclusive: there is no file"

status 74 sh -c '"$1" --help >/dev/full' sh "$nh"
status 74 sh -c '"$1" --help >&-' sh "$nh"
status 74 sh -c '"$1" -f json --interval 0 "$2" >/dev/full' sh "$nh" $sleeper
one_line_error "cannot write to standard output: No space left on device"
status 74 "$nh" -o missing/case.json --interval 0 $sleeper
status 0 sh -c '"$1" --version 2>&-' sh "$nh"
# A writer that nobody reads from ends by the signal, also where its parent ignores that.
mkfifo pipe
(
	trap '' PIPE
	exec "$nh" -f json --interval 0 $sleeper >pipe 2>"$tmp/err"
) &
writer=$!
: <pipe
wait $writer
[ $? = 141 ]
check "a closed pipe ends it by SIGPIPE" $?

# One run gives screen and case; with -f only the file.
"$nh" --interval 0 -o case.json.gz $sleeper >screen
live=$?
grep -q '^How this was found out' screen && [ "$(stat -c %a case.json.gz)" = 600 ]
check "-o alone leaves the text on the screen, the file is private" $?
zcat case.json.gz | head -n 1 | grep -q '"schema":1'
check "the suffix told the format" $?
"$nh" --interval 0 -f brief -o brief.log $sleeper >screen
[ ! -s screen ] && grep -q 'victims=' brief.log
check "-f with -o writes the file only" $?
mkdir -p cases/sub cases/.hidden
cp case.json.gz cases/sub/
echo junk >cases/.hidden/junk.json
ln -s .. cases/sub/loop
status $live "$nh" report -f brief cases
[ ! -s "$tmp/err" ]
check "hidden files and linked directories are left alone" $?
status $live sh -c 'zcat case.json.gz | "$1" report -f brief -' sh "$nh"
status $live "$nh" report -f brief /nonexistent cases
status 2 "$nh" report cases/.hidden/junk.json
"$nh" report case.json.gz >again
status $live "$nh" report --color always case.json.gz
grep -q "$(printf '\033')" "$tmp/out" && ! grep -q "$(printf '\033')" again
check "colours only where wanted" $?
awk 'length > 80 && !/^       / { print "# " $0; bad = 1 } END { exit bad }' again
check "the report fits 80 columns" $?
echo "1..$n"
