#!/bin/sh
# The option table is the one source: help, man page and completions must say what it says.
nh=$O/ncclhang
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
check() { # WHAT, and a status
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}

"$nh" --help >"$tmp/help"
check "--help succeeds" $?
awk 'length > 80 { print "# " $0; bad = 1 } END { exit bad }' "$tmp/help"
check "--help fits 80 columns" $?

for shell in bash:ncclhang.bash zsh:_ncclhang fish:ncclhang.fish; do
	"$nh" --complete "${shell%%:*}" | diff -u "completions/${shell#*:}" - | sed 's/^/# /' >"$tmp/diff"
	cat "$tmp/diff"
	[ ! -s "$tmp/diff" ]
	check "completions/${shell#*:} is what the table gives" $?
done
for shell in bash:ncclhang.bash zsh:_ncclhang fish:ncclhang.fish; do
	if ! command -v "${shell%%:*}" >/dev/null; then
		n=$((n + 1))
		echo "ok $n - ${shell%%:*} reads its completion # SKIP no ${shell%%:*} here"
		continue
	fi
	"${shell%%:*}" -n "completions/${shell#*:}"
	check "${shell%%:*} reads its completion" $?
done

# The macros' blanks and escapes taken away: "Fl -format" and "\-" become "--format" and "-".
sed 's/\\-/-/g; s/Fl -/--/g; s/Fl \(.\)/-\1/g' man/ncclhang.1 >"$tmp/man"
options=$(sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$tmp/help")
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$tmp/help")
scenes=$(sed -n '/^Scenes/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$tmp/help")
[ "$(echo "$options" | wc -l)" -ge 15 ] && [ -n "$commands" ] && [ -n "$scenes" ]
check "help lists options, commands and scenes" $?
for word in $options; do
	missing=
	grep -q -e "$word\\b" "$tmp/man" || missing="$missing man"
	grep -q -e "$word\\b" completions/ncclhang.bash || missing="$missing bash"
	grep -q -e "$word\\b" completions/_ncclhang || missing="$missing zsh"
	grep -q -e "-l ${word#--}\\b" completions/ncclhang.fish || missing="$missing fish"
	[ -z "$missing" ]
	check "$word is documented everywhere$missing" $?
done
for word in $commands $scenes; do
	grep -q -w -e "Cm $word" "$tmp/man" && ! grep -L -w -e "$word" completions/* | grep -q .
	check "$word is documented everywhere" $?
done
named=$(grep -o -e '--[a-z][a-z-]*' "$tmp/man" | sort -u)
for word in $named; do
	echo "$options" | grep -q -x -e "$word"
	check "the man page's $word exists" $?
done
for name in NO_COLOR TERM; do
	grep -q -w "Ev $name" man/ncclhang.1
	check "the man page has $name" $?
done

# bash completes: words typed so far, the last one being completed → a word that must be offered.
completes() {
	bash -c '. completions/ncclhang.bash
		COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
		_ncclhang && printf "%s\n" "${COMPREPLY[@]}" | grep -q -x -e "$1"' bash "$@"
}
if command -v bash >/dev/null; then
	completes report ncclhang re
	check "bash completes a command" $?
	completes --format ncclhang report --fo
	check "bash completes an option" $?
	completes json ncclhang -f j
	check "bash completes a value" $?
	completes json ncclhang --format = j
	check "bash completes a value behind =" $?
	completes healthy ncclhang demo h
	check "bash completes a scene" $?
	! completes --for ncclhang report --fo
	check "bash offers no option of another command" $?
fi

if command -v fish >/dev/null; then
	fish -c 'source completions/ncclhang.fish; complete -C "ncclhang report --fo"' | grep -q -e '^--format'
	check "fish completes an option" $?
	! fish -c 'source completions/ncclhang.fish; complete -C "ncclhang demo --fo"' | grep -q -e '^--format'
	check "fish offers no option of another command" $?
fi

if command -v mandoc >/dev/null; then
	for page in man/*.[1-9]; do
		# Pages of packages that are not installed here are not our fault.
		! mandoc -T lint "$page" 2>&1 |
			grep -v -e 'referenced manual not found' -e 'outdated mandoc.db' | sed 's/^/# /' | grep .
		check "$page is lint clean" $?
	done
else
	n=$((n + 1))
	echo "ok $n - man pages are lint clean # SKIP no mandoc here"
fi
echo "1..$n"
