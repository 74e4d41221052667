#!/bin/sh
# The version of the NCCL that a process maps: a real one where there is one, and stand-ins that are
# compiled here, also where the file is gone, has another name, or NCCL is linked in.
. tests/lib/live.sh

user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
build() { # FILE SOURCE OPTION...
	out=$tmp/$1 source=$2
	shift 2
	printf '%s\n' "$source" | ${CC:-cc} -O2 -x c - -o "$out" "$@"
}
# modules NAME: version, source and marker of whatever is an NCCL
modules() { ask "$1" "[(m.nccl, m.nccl_from, m.imports_shutdown) for m in rows('modules') if m.nccl]"; }
is_nccl() { # NAME VERSION FROM MARKER
	got=$(modules "$1")
	[ "$got" = "[('$2', '$3', '$4')]" ] && return
	echo "# $got"
	return 1
}

text='const char words[] = "NCCL version 2.17.1+cuda12.1";'
export_it='int ncclGetVersion(int *v) { if (!v) return 4; *v = 21701; return 0; }'
wait="#include <stdio.h>
#include <unistd.h>
$text"'
int main(void) { printf("pid=%d %.0s\n", (int)getpid(), words); fflush(stdout); return getchar(); }'
from='version string'
[ "$(uname -m)" = x86_64 ] && from=ncclGetVersion

mkdir "$tmp/old" "$tmp/backport" "$tmp/linked"
build old/libnccl.so.2 "$text $export_it" -shared -fPIC
build backport/libnccl.so.2 "#include <sys/socket.h>
	$text $export_it void f(int s) { shutdown(s, 2); }" -shared -fPIC
build old/libnccl.so.2.16.5 'int unknown;' -shared -fPIC
build linked/libtorch_cuda.so "$text" -shared -fPIC
build linked/static "$wait" -static
cp "$nh" "$fixtures/mapped" "$tmp/"

start old "$fixtures/mapped" "$tmp/old/libnccl.so.2"
start backport "$fixtures/mapped" "$tmp/backport/libnccl.so.2"
start named "$fixtures/mapped" "$tmp/old/libnccl.so.2.16.5"
start torch "$fixtures/mapped" "$tmp/linked/libtorch_cuda.so"
start static "$tmp/linked/static"
start none "$fixtures/mapped"
start tree sh -c "'$fixtures/mapped' '$tmp/backport/libnccl.so.2'; true"
parent=$(ps -o ppid= -p "$(value tree pid)" | tr -d ' ')
look tree --interval 0 "$parent"
start gone user "$tmp/mapped" "$tmp/old/libnccl.so.2"
rm "$tmp/old/libnccl.so.2"
for name in old backport named torch static none; do
	look $name --interval 0 "$(value $name pid)"
done
# Only the process's memory has it, and only that may be read.
run_look gone user "$tmp/ncclhang" -f json --interval 0 "$(value gone pid)"

lib=$(find /usr/local/cuda*/lib* /usr/local/cuda*/targets/*/lib /usr/lib -name 'libnccl.so.2*' \
	-type f 2>/dev/null | head -n 1)
if [ -n "$lib" ]; then
	start real "$fixtures/mapped" "$lib"
	look real --interval 0 "$(value real pid)"
fi
looked

check "old: 2.17.1, no shutdown" is_nccl old 2.17.1 "$from" no
check "a fix ported back shows in the marker" is_nccl backport 2.17.1 "$from" yes
check "the report says so" sh -c "'$nh' report '$tmp/old.json' | tr -s ' \n' '  ' |
	grep -q 'NCCL 2.17.1 ($from [a-z]* *libnccl.so.2.*; does not import shutdown)'"
check "by the file's name, where nothing else tells" is_nccl named 2.16.5 'file name' no
check "linked into a library" is_nccl torch 2.17.1 'version string' no
check "for which CUDA it was built" tells torch "[m.nccl_cuda for m in rows('modules') if m.nccl] == ['12.1']"
check "no marker is told of it" sh -c "! '$nh' report '$tmp/torch.json' | grep -q 'import'"
check "linked into a static program" tells static \
	"[(m.nccl, m.nccl_from) for m in rows('modules') if m.nccl] == [('2.17.1', 'version string')]"
check "of a launcher's ranks too, and of those that file alone" tells tree \
	"[m.nccl for m in rows('modules') if m.pid == $(value tree pid)] == ['2.17.1']"
check "no other file is taken for an NCCL" tells none "not any(m.nccl for m in rows('modules'))"
if [ "$(uname -m)" = x86_64 ]; then
	check "file deleted, memory alone: 2.17.1" is_nccl gone 2.17.1 ncclGetVersion no
else
	skip "file deleted, memory alone" "only x86-64 code is read"
fi
if [ -n "$lib" ]; then
	# The library's own words are the truth.
	truth=$(grep -a -o 'NCCL version 2\.[0-9.]*+cuda[0-9.]*' "$lib" | head -n 1)
	version=${truth#NCCL version }
	check "$lib: $truth" is_nccl real "${version%+cuda*}" "$from" yes
	check "$lib: for CUDA ${truth#*+cuda}" tells real \
		"[m.nccl_cuda for m in rows('modules') if m.nccl] == ['${truth#*+cuda}']"
else
	skip "a real NCCL" "no libnccl.so.2 here"
fi
done_testing
