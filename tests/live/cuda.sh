#!/bin/sh
# Threads in each other's way inside the CUDA driver, by a library with the driver's names: a lock
# with an owner, one without, a free that waits, a blocking launch; and calls that are no hang.
. tests/lib/live.sh

build() { # FILE SOURCE ARGUMENTS...
	file=$1 source=tests/live/cuda/$2
	shift 2
	# shellcheck disable=SC2086
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -pthread -o "$tmp/$file" "$source" "$@" || exit 1
}
shared() { build "$1" "$2" -shared -fPIC -Wl,-soname,"$1" "$3" -L"$tmp"; }
shared libcuda.so.1 driver.c -lc
shared libnccl.so.2 nccl.c -l:libcuda.so.1
build scene scene.c -L"$tmp" -Wl,-rpath,"$tmp" -l:libnccl.so.2 -l:libcuda.so.1 -ldl

begin() { # NAME FUNCTION...
	scene=$1
	shift
	start "$scene" "$tmp/scene" "$@"
	all="$all $scene"
}
all=''
unset CUDA_LAUNCH_BLOCKING
begin owner cuCtxSynchronize cuMemAlloc_v2
begin three cuCtxSynchronize cuMemAlloc_v2 cuMemAlloc_v2
begin reader cuStreamSynchronize cuModuleLoadData
begin free cuMemFree_v2 cuStreamSynchronize
CUDA_LAUNCH_BLOCKING=1 begin blocking ncclGroupEnd
CUDA_LAUNCH_BLOCKING=0 begin launch ncclGroupEnd
begin sync cuStreamSynchronize cuStreamSynchronize
begin turns cuEventSynchronize cuEventSynchronize cuMemAlloc_v2
begin plain cuLaunchKernel cuMemFree_v2
for name in $all; do
	look "$name" "$(value "$name" pid)"
done
looked

convicts() { # NAME KEY: the thread of that key is the culprit
	exits "$1" 1 && tells "$1" "[x.id for x in fs] == ['cuda-lock'] and f.confidence == 'likely' and
		c.pid == $(value "$1" pid) and c.tid == $(value "$1" "$2")"
}
check "owner: who has the mutex syncs" convicts owner first
check "owner: the mutex says so" tells owner "edges == ['wants the lock of'] and
	not f.chain[0].inferred and f.victims[0].tid == $(value owner second)"
check "three: told once" convicts three first
check "three: two victims" tells three "len(f.victims) == 2"
check "reader: who may have the lock syncs" convicts reader first
check "reader: an inference" tells reader "f.chain[0].inferred"
check "free: a free that waits for the GPU" convicts free first
check "blocking: the launch of a collective" convicts blocking first
for name in launch sync turns plain; do
	check "$name: nothing found" finds_nothing "$name"
done
done_testing
