#!/bin/sh
# The demo's scenes, explained: who is convicted, by which descriptor, how surely; that the remedies
# release; and that the saved case says the same.
. tests/lib/live.sh

# held_fd PID HOLDER: the holder's descriptors of a connection to a socket of PID, of which PID
# itself has closed this end.  Worked out from the kernel's tables without us.
held_fd() {
	"$python" - "$1" "$2" <<'END'
import os, sys
def sockets(pid):
    for fd in os.listdir(f"/proc/{pid}/fd"):
        link = os.readlink(f"/proc/{pid}/fd/{fd}")
        if link.startswith("socket:["):
            yield int(fd), link[8:-1]
rows = [line.split() for line in open(f"/proc/{sys.argv[1]}/net/tcp")][1:]
ends = {r[9]: (r[1], r[2]) for r in rows if r[3] == "01"}
own = {inode for _, inode in sockets(sys.argv[1])}
own_ends = {ends[i] for i in own if i in ends}
print(*(fd for fd, i in sockets(sys.argv[2])
        if i in ends and i not in own and ends[i][::-1] in own_ends))
END
}
# remedy NAME WORD: the first command of the finding with that word
remedy() { ask "$1" "next(r.command for r in f.remedy if '$2' in (r.command or ''))"; }

for scene in close stripped exec unread cross-rank shutdown healthy; do
	case $scene in
	stripped) start $scene "$nh" demo --stripped --for 100 ;;
	*) start $scene "$nh" demo $scene --for 100 ;;
	esac
done
for scene in close stripped exec unread cross-rank shutdown healthy; do
	look $scene "$(value $scene pid)"
done
look moment --interval 0 "$(value close pid)"
looked

for scene in close stripped exec unread cross-rank; do
	pid=$(value $scene pid) holder=$(value $scene holder)
	check "$scene: exit 1" exits $scene 1
	fd=$(held_fd "$pid" "$holder")
	check "$scene: convicts the holder, by its descriptor" convicts $scene confirmed "$holder" "$fd"
	check "$scene: the victim is the rank" tells $scene "all(x.pid == $pid for x in f.victims)"
	check "$scene: four gates, the last one held" \
		tells $scene "len(f.gates) == 4 and f.gates[3].state == 'held'"
	check "$scene: the culprit's start time is the kernel's" \
		tells $scene "c.start == $(sed 's/.*) //' "/proc/$holder/stat" | cut -d' ' -f20)"
done
for scene in shutdown healthy; do
	check "$scene: nothing is convicted" finds_nothing $scene
	check "$scene: and why is said" tells $scene "len(v.ruled_out) >= 1"
done
check "one sample: exit 1" exits moment 1
pid=$(value close pid) holder=$(value close holder)
check "one sample: likely" convicts moment likely "$holder" "$(held_fd "$pid" "$holder")"

# One run gives screen and case; the case alone gives the same again.
"$nh" -o "$tmp/saved.json.zst" "$pid" >"$tmp/screen"
check "text and case of one run: exit 1" [ $? = 1 ]
zstd -dqc "$tmp/saved.json.zst" >"$tmp/saved.json" && gzip -k "$tmp/saved.json"
for suffix in json json.zst json.gz; do
	"$nh" report "$tmp/saved.$suffix" >"$tmp/again"
	check "report saved.$suffix: exit 1" [ $? = 1 ]
	check "report saved.$suffix: the same text" cmp "$tmp/screen" "$tmp/again"
done
"$nh" report -f json "$tmp/saved.json" >"$tmp/again.json"
check "report -f json: the same findings" \
	[ "$(ask saved 'json.dumps(v)')" = "$(ask again 'json.dumps(v)')" ]

# The command checks what it kills.
kill_it=$(remedy close kill)
stale=$(echo "$kill_it" | sed 's/ = \([0-9]*\) / = 1\1 /')
check "the kill names a start time" [ "$stale" != "$kill_it" ]
sh -c "$stale"
check "with another start time it says so by its status" [ $? != 0 ]
check "and kills nobody" lives "$holder"
check "nor is anything released" not says close 'rank0: ncclCommAbort returned'
check "the kill remedy succeeds" sh -c "$kill_it"
check "and the abort returns" soon says close 'rank0: ncclCommAbort returned'
check "after which the scene ends by itself" soon gone "$pid"

destroy=$(remedy exec 'ss -K')
holder=$(value exec holder)
if ! command -v ss >/dev/null || ! command -v nsenter >/dev/null; then
	skip "the ss -K remedy" "no ss or nsenter"
elif [ "$(id -u)" != 0 ]; then
	skip "the ss -K remedy" "needs CAP_NET_ADMIN"
else
	if ! sh -c "$destroy" >"$tmp/destroy" 2>&1 || grep -q 'not supported' "$tmp/destroy"; then
		skip "the ss -K remedy" "this kernel lacks CONFIG_INET_DIAG_DESTROY"
	else
		check "the ss -K remedy: the abort returns" soon says exec 'rank0: ncclCommAbort returned'
		check "the ss -K remedy: the service thread saw a reset" says exec 'saw ECONN'
	fi
fi
done_testing
