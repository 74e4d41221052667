#!/bin/sh
# Stand-ins that really hang in each way that NCCL's teardown and start can, and the healthy twin of
# each: what is convicted and by what, whether what the report says to do helps, and that the twins
# are left alone.
. tests/lib/live.sh

lib=$tmp/libcudart.so.12
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -DLIBRARY -shared -fPIC -o "$lib" tests/live/teardown.c ||
	exit 1

# alone NAME COMMAND...: what spins has to get a CPU to be stopped on, so the one before ends first
alone() {
	[ -z "$spinner" ] || kill "$spinner"
	start "$@"
	spinner=${children##* }
	look "$1" "$(value "$1" pid)"
	wait "${looks##* }"
}
spinner=

start init "$fixtures/teardown" init
look young "$(value init pid)"
looked
for mode in peer-rank watchdog older; do
	start $mode "$fixtures/peers" $mode
	look $mode "$(value $mode pid)"
	start $mode.idle "$fixtures/peers" $mode idle
	look $mode.idle "$(value $mode.idle pid)"
done
for mode in cross orphan; do
	start $mode "$fixtures/peers" $mode
	look $mode "$(value $mode pid)"
done
start cycle "$fixtures/peers" cycle
look cycle "$(value cycle pid)" "$(value cycle peer)"
for mode in graph graph-launch init-server; do
	start $mode "$fixtures/teardown" $mode
	look $mode "$(value $mode pid)"
done
for mode in cuda cuda-training cuda-service; do
	start $mode "$fixtures/teardown" $mode "$lib"
	look $mode "$(value $mode pid)"
done
looked
for mode in progress progress-idle busy compute; do alone $mode "$fixtures/teardown" $mode; done
alone cuda-job "$fixtures/teardown" cuda-job "$lib"
alone silent.idle "$fixtures/peers" silent idle
alone silent "$fixtures/peers" silent
look init "$(value init pid)" # by now the root is older than five seconds
looked

# convicts NAME ID CONFIDENCE CULPRIT: this alone
convicts() {
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == '$2' and f.confidence == '$3' and
		f.victims[0].pid == $(value "$1" pid) and ($4)"
}
# holds NAME KEY: the culprit is that process, with the descriptor that it really has
holds() { echo "c.pid == $(value "$1" "$2") and c.fd == $(value "$1" peer_fd)"; }
itself() { echo "c.pid == $(value "$1" pid) and c.tid == $(value "$1" "$2")"; }
says_evidence() { tells "$1" "any('$2' in e for e in f.evidence)"; }
chain="['polls', 'is connected to', 'is held open by']"
# releases NAME: ending the culprit, as the report says it, ends the joined thread
releases() {
	sh -c "$(ask "$1" "next(r.command for r in f.remedy if 'kill' in (r.command or ''))")"
	soon test ! -e "/proc/$(value "$1" pid)/task/$(value "$1" service)"
}

for mode in peer-rank watchdog; do
	check "$mode: convicts the live rank" \
		convicts $mode nccl-teardown-peer-rank confirmed "$(holds $mode peer)"
	check "$mode: says that it does not tear down" tells $mode "'not tearing down' in f.title"
	check "$mode: says that it is a rank" says_evidence $mode "service thread of its own"
done
check "peer rank: the chain" tells peer-rank "edges == ['joins'] + $chain and
	f.victims[-1].tid == $(value peer-rank service)"
check "peer rank: the stack of the thread that joins" \
	says_evidence peer-rank "ncclProxyStop < commReclaim < ncclCommAbort"
check "watchdog: main joins a thread that joins" tells watchdog "edges == ['joins', 'joins'] + $chain
	and f.victims[-1].tid == $(value watchdog service)"

check "cycle: exit 1" exits cycle 1
check "cycle: each waits for the other" tells cycle \
	"all(x.id == 'nccl-teardown-peer-rank' and x.confidence == 'confirmed' and
		'wait for each other' in x.title for x in fs)"
check "cycle: both are victims, and each is the other's culprit" tells cycle \
	"sorted((x.victims[0].pid, x.culprit.pid) for x in fs) ==
		[($(value cycle pid), $(value cycle peer)), ($(value cycle peer), $(value cycle pid))]"

check "another rank's child: convicts it" \
	convicts cross nccl-teardown-held-socket confirmed "$(holds cross helper)"
check "another rank's child: that rank opened it" \
	says_evidence cross "opened by pid $(value cross peer) (peers), another rank"
check "an orphan: convicts it" \
	convicts orphan nccl-teardown-held-socket confirmed "$(holds orphan helper)"
check "an orphan: whoever opened it has ended" \
	says_evidence orphan "whoever opened the end has ended"

check "an older client: convicts it" \
	convicts older nccl-stray-client confirmed "$(holds older peer)"
check "an older client: the chain" tells older "edges == ['joins'] + $chain"
check "a silent client: convicts it" convicts silent nccl-stray-client likely "$(holds silent peer)"
check "a silent client: which connection it is was concluded" tells silent \
	"f.chain[1]['from'] == f.chain[0].to and f.chain[1].inferred and not f.chain[0].inferred"
check "a silent client: says that it is no NCCL process" \
	says_evidence silent "maps no NCCL library"
check "a silent client: the handshake is on the stack" \
	says_evidence silent "ncclSocketAccept < ncclProxyService"

for mode in peer-rank older silent cross orphan; do
	check "$mode: ending the culprit releases the join" releases $mode
done

check "progress: convicts the progress thread" \
	convicts progress nccl-teardown-progress likely "$(itself progress progress)"
check "progress: two joins" tells progress "edges == ['joins', 'joins'] and
	f.victims[-1].tid == $(value progress service) and 'never rests' in f.title"
check "a busy service thread: convicts it" \
	convicts busy nccl-teardown-progress likely "$(itself busy service)"
check "a service thread in CUDA: convicts it" \
	convicts cuda-service nccl-teardown-progress likely "$(itself cuda-service service)"
check "a service thread in CUDA: says so" tells cuda-service "'inside a CUDA call' in f.title"
check "CUDA: convicts the thread in teardown" \
	convicts cuda nccl-teardown-cuda likely "$(itself cuda pid)"
check "CUDA: the stack" says_evidence cuda \
	"cudaStreamSynchronize < commDestroySync < commReclaim < ncclCommAbort"
check "CUDA, spinning in a job: convicts the job's thread" tells cuda-job \
	"f.id == 'nccl-teardown-cuda' and f.confidence == 'likely' and
		len(fs) == 1 and $(itself cuda-job other)"
check "graphs: convicts" convicts graph nccl-teardown-graph likely "$(itself graph pid)"
check "graphs: the stack" says_evidence graph \
	"ncclCommPollCallbacks < commDestroySync < commReclaim < ncclCommDestroy"

check "init: convicts" convicts init nccl-init-wait likely "not f.culprit"
check "init: the root is still there" says_evidence init \
	"thread $(value init other) is the bootstrap root"
check "init, only begun: exit 2" exits young 2
check "init, only begun: a possibility" tells young \
	"len(fs) == 1 and f.id == 'nccl-init-wait' and f.confidence == 'possible'"

for mode in peer-rank.idle watchdog.idle older.idle silent.idle progress-idle compute \
	cuda-training graph-launch init-server; do
	check "$mode: nothing found" finds_nothing $mode
done
done_testing
