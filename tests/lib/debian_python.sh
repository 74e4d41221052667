# shellcheck shell=sh
# A CPython of another Debian suite, unpacked beside the build and run by its own dynamic linker:
# nothing is installed.  Downloaded once per build folder, about 9 MB.
# debian_python SUITE VERSION: prints the command that starts it; fails where it is not to be had.
debian_python() {
	suite=$1 version=$2
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	dir=$(realpath "$O")/tests/python/$suite-$version
	if [ ! -e "$dir/whole" ]; then
		[ -e $keys ] && [ "$(dpkg --print-architecture)" = amd64 ] || return
		rm -rf "$dir"
		mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/etc/apt.conf.d" \
			"$dir/etc/preferences.d" "$dir/etc/sources.list.d" "$dir/root" || return
		echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main" >"$dir/etc/sources.list"
		: >"$dir/state/status"
		(
			cd "$dir" || exit
			set -- -qq -o Dir::Etc="$dir/etc" -o Dir::State="$dir/state" \
				-o Dir::State::status="$dir/state/status" -o Dir::Cache="$dir/cache" \
				-o Acquire::Languages=none -o Acquire::Retries=0 -o Acquire::http::Timeout=5
			timeout 30 apt-get "$@" update &&
				timeout 30 apt-get "$@" download "python$version-minimal" \
					"libpython$version-minimal" "libpython$version-stdlib" \
					libc6 zlib1g libexpat1 libffi8 &&
				for deb in ./*.deb; do dpkg-deb -x "$deb" root || exit; done &&
				rm -rf cache state ./*.deb && : >whole
		) >/dev/null 2>&1 || return
	fi
	lib=$dir/root/usr/lib/x86_64-linux-gnu
	echo "$lib/ld-linux-x86-64.so.2 --library-path $lib $dir/root/usr/bin/python$version"
}
