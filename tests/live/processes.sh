#!/bin/sh
# Processes of every odd kind, as targets: what is convicted, what is left alone, what is said.
. tests/lib/live.sh

for mode in helpers two watchdog decoys leaderless; do
	start $mode "$fixtures/service" $mode
	look $mode "$(value $mode pid)"
done
start decoys.idle "$fixtures/service" decoys idle
look decoys.idle "$(value decoys.idle pid)"
start zombie sh -c 'sleep 0 & echo "pid=$!"; exec sleep 100'
look zombie "$(value zombie pid)"
sleep 1 9>&- &
look dies --interval 2 $!
cat <"$tmp/hold" >"$tmp/cat.out" 9>&- &
look cat $!
start python "$python" -c 'import os, threading, sys
for i in range(8):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print(f"pid={os.getpid()}", flush=True)
sys.stdin.read()'
look python "$(value python pid)"
look wrong 4194303
look kthread 2
compat=
# shellcheck disable=SC2016
if printf 'void _start(void) { for (;;) __asm__ volatile("int $0x80" : : "a"(29)); }' |
	gcc -m32 -static -nostdlib -x c -o "$tmp/pause32" - 2>"$tmp/gcc32"; then
	"$tmp/pause32" 9>&- &
	compat=$!
	children="$children $compat"
	sleep 0.1
	lives $compat && look compat $compat || compat=
fi
looked

check "three helpers: exit 1" exits helpers 1
check "three helpers: one of them is the culprit" \
	convicts helpers confirmed "$(helpers helpers)" "$(value helpers fd)"
check "three helpers: one finding" tells helpers "len(fs) == 1"
for key in helper helper2 helper3; do
	pid=$(value helpers $key)
	check "three helpers: the remedy ends $key too" \
		tells helpers "any('kill $pid' in (r.command or '') for r in f.remedy)"
	check "three helpers: $key is named" \
		tells helpers "c.pid == $pid or any('pid $pid ' in e for e in f.evidence)"
done
sh -c "$(ask helpers "next(r.command for r in f.remedy if 'kill' in (r.command or ''))")"
check "three helpers: that releases the join" \
	soon test ! -e "/proc/$(value helpers pid)/task/$(value helpers service)"

for mode in two watchdog decoys leaderless; do
	check "$mode: exit 1" exits $mode 1
	check "$mode: convicts the helper" convicts $mode confirmed "$(value $mode helper)" \
		"$(fd_of "$(value $mode inode)" "$(value $mode helper)")"
	check "$mode: nothing else" tells $mode "len(fs) == 1"
done
check "two communicators: the service thread is the one that is joined" \
	tells two "f.victims[-1].tid == $(value two service)"
check "watchdog: the main thread joins a thread that joins" \
	tells watchdog "edges[:2] == ['joins', 'joins'] and f.victims[0].tid == $(value watchdog pid)"
check "decoys: nobody joins, nothing found" finds_nothing decoys.idle
check "zombie leader: its state is told" tells leaderless \
	"any(p.state == 'Z' and p.pid == $(value leaderless pid) for p in rows('processes'))"

check "a zombie: nothing found" finds_nothing zombie
"$nh" --interval 0 "$(value zombie pid)" >"$tmp/zombie.txt"
check "a zombie: said so" grep -qiE 'zombie|ended' "$tmp/zombie.txt"
check "a process that ends meanwhile: exit 0" exits dies 0
check "a process that ends meanwhile: said so" tells dies "any('ended' in g for g in gaps)"
check "cat: nothing found" finds_nothing cat
check "python with threads: nothing found" finds_nothing python
check "no such process: exit 66" exits wrong 66
check "no such process: nothing on stdout" [ ! -s "$tmp/wrong.json" ]
if grep -q '^VmSize' /proc/2/status || [ "$(tr -d '\0' </proc/2/cmdline | wc -c)" != 0 ]; then
	skip "a kernel thread" "pid 2 is none here"
else
	check "a kernel thread: nothing found" finds_nothing kthread
	check "a kernel thread: said so" tells kthread "any('kernel thread' in g for g in gaps)"
fi
if [ -z "$compat" ]; then
	skip "a 32-bit process" "cannot build or run one here"
else
	check "a 32-bit process: exit 2" exits compat 2
	check "a 32-bit process: the gap is named" tells compat "any('32-bit' in g for g in gaps)"
fi

# Without a PID, on a host of our own.
if ! unshare -pf --mount-proc true 2>/dev/null; then
	skip "no PID" "cannot make a pid namespace here"
else
	cat >"$tmp/host" <<-'END'
		"$nh" -f json >"$tmp/none.json" 2>"$tmp/none.err"
		echo $? >"$tmp/none.rc"
		RANK=3 WORLD_SIZE=8 "$fixtures/service" helpers <"$tmp/hold" >"$tmp/ranked.out" 9>&- &
		until grep -q pid= "$tmp/ranked.out"; do sleep 0.05; done
		"$nh" -f json >"$tmp/ranked.json" 2>"$tmp/ranked.err"
		echo $? >"$tmp/ranked.rc"
	END
	export nh tmp fixtures
	unshare -pf --mount-proc sh "$tmp/host"
	check "no PID, no training: exit 0" exits none 0
	check "no PID, no training: said so" tells none "v.status == 'nothing-to-inspect'"
	check "no PID: the rank is found by its environment" exits ranked 1
	check "no PID: and explained" \
		convicts ranked confirmed "$(helpers ranked)" "$(value ranked fd)"
	check "no PID: the rank number is told" tells ranked "all(x.rank == 3 for x in f.victims)"
fi
done_testing
