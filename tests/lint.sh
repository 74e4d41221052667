#!/bin/sh
# Every tool that reads the sources without running them.  Usage: lint.sh SOURCES -- COMPILER FLAGS
# A tool's output is shown where it finds something, and any finding fails.
sources=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	sources="$sources $1"
	shift
done
[ "$1" = -- ] && [ -n "$sources" ] || exit 64
shift
jobs=$(nproc)
failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# lint TOOL PACKAGE COMMAND...
lint() {
	tool=$1 package=$2
	shift 2
	if ! command -v "$tool" >/dev/null; then
		echo "FAIL  $tool is missing: apt-get install $package"
	elif "$@" >"$out" 2>&1; then
		echo "ok    $tool"
		return
	else
		sed 's/^/      /' "$out"
		echo "FAIL  $tool"
	fi
	failed=$((failed + 1))
}
each() { # COMMAND...: with each source put in for {}
	# shellcheck disable=SC2086  # a list of names without blanks
	printf '%s\n' $sources | xargs -P "$jobs" -I '{}' "$@"
}
build() { # COMPILER: the whole tree with its tests; no test has this name, so that none is run
	make -s -k -j "$jobs" O="$O/lint-$1" CC="$1" WERROR=1 T=none check
}

lint shellcheck shellcheck shellcheck .ci/run cmd/demo/*.sh tests/*.sh tests/*/*.sh
lint clang-format clang-format clang-format --dry-run -Werror cmd/*.[ch] cmd/*/*.[ch] cmd/*/*/*.[ch] \
	lib/*/*.[ch] tests/*/*.[ch]
# It cannot parse __typeof__ of an expression, and reads no system header that would name the machine.
lint cppcheck cppcheck cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j "$jobs" \
	--enable=warning,performance,portability -Ilib -Icmd -D_GNU_SOURCE '-DNH_VERSION=""' \
	'-D__typeof__(x)=__auto_type' "-D__$(uname -m)__" lib cmd
lint gcc gcc build gcc
lint clang clang build clang
lint clang-tidy clang-tidy each clang-tidy --quiet --warnings-as-errors='*' '{}' -- "$@"
[ $failed = 0 ]
