# shellcheck shell=sh
# A CPython of another Debian suite, unpacked beside the build and run by its own dynamic linker:
# nothing is installed.  Downloaded once per build folder, about 9 MB.  Needs $tmp of live.sh.

# unpack_python SUITE VERSION: into $tmp/apt/root
unpack_python() {
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e $keys ] && [ "$(dpkg --print-architecture)" = amd64 ] || return
	# shellcheck disable=SC2154  # of live.sh
	apt=$tmp/apt
	rm -rf "$apt"
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/root" \
		"$apt/etc/apt.conf.d" "$apt/etc/preferences.d" "$apt/etc/sources.list.d" || return
	echo "deb [signed-by=$keys] http://deb.debian.org/debian $1 main" >"$apt/etc/sources.list"
	: >"$apt/state/status"
	version=$2
	set -- -qq -o Dir::Etc="$apt/etc" -o Dir::State="$apt/state" \
		-o Dir::State::status="$apt/state/status" -o Dir::Cache="$apt/cache" \
		-o Acquire::Languages=none -o Acquire::Retries=0 -o Acquire::http::Timeout=5
	(
		cd "$apt" || exit
		timeout 30 apt-get "$@" update || exit
		timeout 30 apt-get "$@" download "python$version-minimal" "libpython$version-minimal" \
			"libpython$version-stdlib" libc6 zlib1g libexpat1 libffi8 || exit
		for deb in ./*.deb; do dpkg-deb -x "$deb" root || exit; done
	) >/dev/null 2>&1
}

# debian_python SUITE VERSION: prints the command that starts it; fails where it is not to be had.
debian_python() {
	home=$(realpath "$O")/tests/python/$1-$2
	if [ ! -d "$home" ]; then
		# make takes what is called *.d for its own; the interpreter needs none of it.
		mkdir -p "${home%/*}" && unpack_python "$1" "$2" &&
			find "$tmp/apt/root" -depth -name '*.d' -exec rm -rf '{}' + &&
			mv "$tmp/apt/root" "$home" || return
	fi
	lib=$home/usr/lib/x86_64-linux-gnu
	set -- "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$home/usr/bin/python$2"
	"$@" -c 'import ctypes' 2>/dev/null && echo "$@"
}
