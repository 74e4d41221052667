# shellcheck shell=sh disable=SC2154
# Which CPythons there are.  Sourced after live.sh: $tmp/NAME.run holds the command of each of $known.
known=''
add() { # NAME COMMAND
	echo "$2" >"$tmp/$1.run"
	known="$known $1"
}
if [ -x /usr/bin/python3 ]; then add system /usr/bin/python3; else add system "$python"; fi
for dir in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*; do
	case ${dir##*/} in
	3.[89].* | 3.1[0-5].*) [ -x "$dir/bin/python" ] && add "pyenv-${dir##*/}" "$dir/bin/python" ;;
	esac
done
