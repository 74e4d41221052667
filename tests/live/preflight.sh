#!/bin/sh
# preflight: what is off in a process's environment, or in the one a command would be started in.
. tests/lib/live.sh

# The environment of every look is said here, nothing of ours.
bare() { env -i PATH="$PATH" HOME="$tmp" "$@"; }
site=$tmp/env/lib/python3.11/site-packages
pack() { # TORCH NCCL: an installation of both
	rm -rf "$tmp/env"
	mkdir -p "$tmp/env/bin" "$site/torch/lib" "$site/nvidia/nccl/lib" "$site/nvidia_nccl_cu12-$2.dist-info"
	echo "__version__ = '$1+cu124'" >"$site/torch/version.py"
	echo 'int none;' | ${CC:-cc} -x c - -shared -fPIC -o "$site/torch/lib/libtorch_cpu.so"
	cp "$site/torch/lib/libtorch_cpu.so" "$site/nvidia/nccl/lib/libnccl.so.2"
	cp /bin/true "$tmp/env/bin/torchrun"
}
ahead() { # NAME VARIABLE=VALUE... -- ARGUMENTS...
	ahead=$1
	shift
	set -- "$@"
	vars=
	while [ "$1" != -- ]; do
		vars="$vars $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	bare $vars "$nh" preflight -f json "$@" >"$tmp/$ahead.json" 2>"$tmp/$ahead.err" </dev/null
	echo $? >"$tmp/$ahead.rc"
}
# again NAME: the saved case says the same, with the same exit status
again() {
	"$nh" report -f brief "$tmp/$1.json" >"$tmp/again" 2>&1
	[ $? = "$(cat "$tmp/$1.rc")" ] && [ "$(cut -d ' ' -f 1-3 "$tmp/again")" = "$2" ] && return
	sed 's/^/# /' "$tmp/again"
	return 1
}
# lacks NAME TOPIC...: these things are off, and no others
lacks() {
	lacks=$1
	shift
	exits "$lacks" 1 && tells "$lacks" "f.id == 'evidence-off' and v.status == 'problem' and
		sorted(e.split(':')[0] for e in f.evidence) == sorted('$*'.split(','))"
}
fine() { exits "$1" 0 && tells "$1" "not fs and v.status == 'no-hang'"; }
exports() { tells "$1" "any(r.command == 'export $2' for r in f.remedy)"; }

pack 2.6.0 2.21.5
run=$tmp/env/bin/torchrun
ahead old -- -- "$run" train.py
ahead old-on TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 NCCL_DEBUG=WARN -- -- "$run"
ahead old-detail TORCH_NCCL_TRACE_BUFFER_SIZE=9 TORCH_DISTRIBUTED_DEBUG=DETAIL NCCL_DEBUG=INFO -- -- "$run"
ahead old-new-name TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 NCCL_DEBUG=WARN -- -- "$run"
ahead hangs NCCL_ASYNC_ERROR_HANDLING=0 TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 \
	NCCL_DEBUG=WARN -- -- "$run"
ahead nowhere TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 NCCL_DEBUG=WARN \
	TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/no/such/rank_ -- -- "$run"
start old-maps bare "$fixtures/mapped" "$site/torch/lib/libtorch_cpu.so" "$site/nvidia/nccl/lib/libnccl.so.2"
ahead maps -- "$(value old-maps pid)"
pack 2.14.1 2.17.1
ahead new NCCL_DEBUG=WARN -- -- "$run" --nnodes 2
ahead new-alias TORCH_NCCL_TRACE_BUFFER_SIZE=0 NCCL_DEBUG=WARN -- -- "$run"
mkdir -p "$tmp/none/bin" && cp /bin/true "$tmp/none/bin/train"
ahead unknown -- -- "$tmp/none/bin/train"
ahead gone -- 2147483647
bare "$nh" preflight -- "$run" >"$tmp/text" 2>/dev/null
bare "$nh" preflight -f dot >/dev/null 2>&1
dot=$?

check "2.6: three things are off" lacks old "flight recorder,dump on timeout,NCCL log"
check "2.6: exported under the old name alone" exports old TORCH_NCCL_TRACE_BUFFER_SIZE=2000
check "2.6: the command is not run, and that is said" grep -q 'not started' "$tmp/old.err"
check "2.6: all on" fine old-on
check "2.6: DETAIL dumps on timeout too" fine old-detail
check "2.6: does not read the new name" lacks old-new-name "flight recorder"
check "2.6: an error that ends nothing, by an older name still" lacks hangs "end on error"
check "a dump path that is not there" lacks nowhere "dump path"
check "a process: PyTorch by its mapped library" exports maps TORCH_NCCL_TRACE_BUFFER_SIZE=2000
check "a process: NCCL's version from its package" tells maps \
	"any('2.21.5 (mapped)' in g.fact for g in f.gates)"
check "a saved case that lacks something, read again" again old 'problem evidence-off confirmed'
check "a saved case that lacks nothing, read again" again new 'no-hang - -'
check "2.14: on by default" fine new
check "2.14: the affected NCCL is told" tells new \
	"any('2.17.1 (would be loaded)' in r.why and 'duplicate' in r.why for r in v.ruled_out)"
check "2.14: the old name is an alias" lacks new-alias "flight recorder"
check "2.14: exported under the new name" exports new-alias TORCH_FR_BUFFER_SIZE=2000
check "no PyTorch: both names" exports unknown "TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_TRACE_BUFFER_SIZE=2000"
check "no such process" exits gone 66
check "no graph to draw" [ $dot = 64 ]
check "text: what to export stands on a line of its own" grep -q '^ *export NCCL_DEBUG=WARN$' "$tmp/text"
check "text: 80 columns" sh -c "! grep -v export '$tmp/text' | grep -q '.\{81\}'"
done_testing
