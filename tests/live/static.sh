#!/bin/sh
# One file to copy: the static build needs nothing but the kernel, and says the same.
. tests/lib/live.sh

if [ -n "$SAN" ]; then
	echo "sanitizers cannot be linked statically"
	exit 77
fi
if ! env -u MAKEFLAGS -u MFLAGS -u WERROR make O="$O" static >"$tmp/make" 2>&1; then
	sed 's/^/# /' "$tmp/make"
	check "make static builds" false
	exit 1
fi
static=$(realpath "$O")/static/ncclhang
ldd "$static" >"$tmp/ldd" 2>&1
check "it needs no shared library" grep -qE 'not a dynamic|statically' "$tmp/ldd"

# The same scenes, explained by it.
O=$O/static sh tests/live/verdict.sh >"$tmp/verdict" 2>&1
check "it passes the test of the verdict" [ $? = 0 ]
check "in full" sh -c "! grep '^not ok' '$tmp/verdict' && grep -q '^ok 40' '$tmp/verdict'"

if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
	skip "in an empty chroot" "needs root"
	done_testing
	exit
fi
mkdir -p "$tmp/root/proc"
cp "$static" "$tmp/root/"
start alone chroot "$tmp/root" /ncclhang demo close --for 60
# shellcheck disable=SC2016
run_look alone unshare -m \
	sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /ncclhang -f json "$2"' \
	sh "$tmp/root" "$(value alone pid)"
looked
check "in an empty chroot: exit 1" exits alone 1
check "in an empty chroot: explains its own demo" \
	convicts alone confirmed "$(value alone holder)" "$(ask alone c.fd)"
chroot "$tmp/root" /ncclhang --interval 0 "$(value alone pid)" >"$tmp/stdout" 2>"$tmp/stderr"
check "without /proc: says so and fails" [ $? -ge 64 ]
check "without /proc: names it" grep -q /proc "$tmp/stderr"
done_testing
