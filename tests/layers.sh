#!/bin/sh
# Each line of layers.txt: a module of lib/, then the modules it may include.  cmd/ may include all,
# but nothing in lib/ or in the inspecting commands may know the demo.
n=0
check() { # WHAT, and a status
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}
included() { # FILE: the modules it includes
	sed -n 's|^#include "\([a-z]*\)/.*|\1|p' "$1" | sort -u
}
while read -r mod may; do
	bad=0
	for f in lib/"$mod"/*.[ch]; do
		[ -e "$f" ] || continue
		for dep in $(included "$f"); do
			case " $mod $may " in
			*" $dep "*) ;;
			*) echo "# $f: $mod must not include $dep" && bad=1 ;;
			esac
		done
	done
	check "$mod includes only: $may" $bad
done <tests/layers.txt
for dir in lib/*/; do
	dir=$(basename "$dir")
	grep -q "^$dir\( \|$\)" tests/layers.txt
	check "lib/$dir has its line in layers.txt" $?
done
! grep -rniE '\bdemo\b' lib cmd/inspect.c cmd/report.c
check "the inspector does not know the demo" $?
! grep -rnE '\b(printf|fprintf\(std|exit|errx?|warnx?)\(' lib --include=*.c | grep -v -e lib/base/arena.c -e nprintf
check "only cmd prints or exits" $?
echo "1..$n"
