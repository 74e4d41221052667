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

# It cannot load the driver's library, even where there is one: it asks nvidia-smi.
mkdir "$tmp/gpu"
cat >"$tmp/gpu/nvidia-smi" <<-'END'
	#!/bin/sh
	case $1 in --query-gpu*) echo '0, GPU-a, Test, 00000000:19:00.0, 535.1, 45' ;; esac
END
chmod 755 "$tmp/gpu/nvidia-smi"
echo 'int none;' >"$tmp/gpu/none.c"
${CC:-cc} -shared -fPIC -o "$tmp/gpu/libcuda.so.1" "$tmp/gpu/none.c"
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$tmp/gpu/libnvidia-ml.so.1" tests/live/gpu/nvml.c
start cuda "$fixtures/mapped" "$tmp/gpu/libcuda.so.1"
run_look cuda env LD_LIBRARY_PATH="$tmp/gpu" PATH="$tmp/gpu:$PATH" "$static" -f json --interval 0 \
	"$(value cuda pid)"
looked
check "it asks nvidia-smi for the GPUs" tells cuda "[(g.name, g.driver, g.temperature_c)
	for g in rows('gpus')] == [('Test', '535.1', 45)]"

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
