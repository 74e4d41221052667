#!/bin/sh
# Run every test, or those whose name contains one of the arguments: `make check T=unit`.
# A test prints TAP ("ok", "not ok", "ok … # SKIP reason"); exit 77 skips it whole, a reason last.
# Each gets a time limit, so that no test can hang the suite.
export O
passed=0 failed=0 skipped=0
log=$O/tests/log
mkdir -p "$log"

wanted() {
	[ $# -eq 1 ] && return 0
	name=$1
	shift
	for want; do case $name in *"$want"*) return 0 ;; esac; done
	return 1
}

run() { # NAME LIMIT COMMAND...
	name=$1 limit=$2
	shift 2
	out=$log/$(echo "$name" | tr / -).log
	timeout -k 5 "$limit" "$@" >"$out" 2>&1 </dev/null
	rc=$?
	good=$(grep -c '^ok ' "$out") bad=$(grep -c '^not ok ' "$out") skip=$(grep -c '^ok .*# SKIP' "$out")
	if [ $rc = 77 ]; then
		skipped=$((skipped + 1))
		echo "skip  $name: $(tail -n 1 "$out")"
		return
	fi
	if [ "$bad" = 0 ] && { [ $rc != 0 ] || [ "$good" = 0 ]; }; then
		bad=1
		echo "not ok - $name ended with status $rc after $good checks" >>"$out"
	fi
	passed=$((passed + good - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if [ "$bad" = 0 ]; then
		echo "ok    $name ($good)"
		grep '^ok .*# SKIP' "$out" | sed 's/^/      /'
	else
		echo "FAIL  $name"
		grep -v '^ok ' "$out" | sed 's/^/      /' | tail -n 40
	fi
}

for t in tests/unit/*.c; do
	t=$(basename "$t" .c)
	wanted "unit/$t" "$@" && run "unit/$t" 60 "$O/tests/unit/$t"
done
for t in tests/fuzz/*.c; do
	[ -e "$t" ] || continue
	t=$(basename "$t" .c)
	wanted "fuzz/$t" "$@" && run "fuzz/$t" 60 "$O/tests/fuzz/$t" tests/fuzz/corpus/"$t"/*
done
for t in tests/*/*.sh tests/layers.sh tests/golden.sh; do
	[ -e "$t" ] || continue
	name=${t#tests/}
	name=${name%.sh}
	case $t in tests/lib/*) continue ;; esac
	wanted "$name" "$@" && run "$name" 180 sh "$t"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
