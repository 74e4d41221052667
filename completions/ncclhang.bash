# bash completion for ncclhang, generated: ncclhang --complete bash
_ncclhang_offer() {
	case $1 in -f | -d) compopt -o filenames 2>/dev/null ;; esac
	mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}
_ncclhang() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' options='' word
	COMPREPLY=()
	# --option=value comes as three words
	[[ $cur == = ]] && cur=''
	[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in report | preflight | demo) command=$word && break ;; esac
	done
	case $prev in
	-p | --pid)
		_ncclhang_offer -W "$(cd /proc && echo [0-9]*)"
		return
		;;
	-f | --format)
		_ncclhang_offer -W 'text brief json markdown dot'
		return
		;;
	-o | --output)
		_ncclhang_offer -f
		return
		;;
	-t | --timeout)
		return
		;;
	--interval)
		return
		;;
	--color)
		_ncclhang_offer -W 'auto always never'
		return
		;;
	--root)
		_ncclhang_offer -d
		return
		;;
	--for)
		return
		;;
	esac
	case $command in
	report)
		options='-f --format -o --output -i --tui -a --all --color --redact -v --verbose -h --help -V --version '
		_ncclhang_offer -f
		;;
	preflight)
		options='-f --format -o --output --color -h --help -V --version '
		_ncclhang_offer -W "$(cd /proc && echo [0-9]*)"
		;;
	demo)
		options='--for --stripped -h --help -V --version '
		_ncclhang_offer -W 'close shutdown unread exec cross-rank healthy'
		;;
	*)
		options='-p --pid -f --format -o --output -i --tui -t --timeout --interval --no-stop --consistent --dump --debuginfod --ras -a --all --color --root --redact -v --verbose -h --help -V --version '
		_ncclhang_offer -W "report preflight demo $(cd /proc && echo [0-9]*)"
		;;
	esac
	if [[ $cur == -* ]]; then _ncclhang_offer -W "$options"; fi
}
complete -F _ncclhang ncclhang
