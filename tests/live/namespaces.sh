#!/bin/sh
# A job in a container of its own (pid, mount and network namespace), looked at from outside and
# from inside.
. tests/lib/live.sh

if ! unshare -pmnf --mount-proc true 2>/dev/null || ! command -v ip >/dev/null; then
	echo "cannot make namespaces here (needs root and iproute2)"
	exit 77
fi
# shellcheck disable=SC2016
start box unshare -pmnf --mount-proc --kill-child \
	sh -c 'ip link set lo up && exec "$1" demo close --for 100' sh "$nh"

# outside NSPID: the host's number of the box's process
outside() {
	"$python" - "$1" "$(readlink /proc/self/ns/pid)" "$children" <<'END'
import glob, os, sys
nspid, own, box = sys.argv[1], sys.argv[2], sys.argv[3].split()[-1]
def field(pid, name):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(name + ":"):
            return line.split()[1:]
pids = [p.split("/")[2] for p in glob.glob("/proc/[0-9]*")]
init = next(p for p in pids if os.path.exists(f"/proc/{p}") and field(p, "PPid") == [box])
ns = os.readlink(f"/proc/{init}/ns/pid")
for p in pids:
    try:
        if os.readlink(f"/proc/{p}/ns/pid") == ns and field(p, "NSpid")[-1] == nspid:
            print(p)
    except OSError:
        pass
END
}
pid=$(outside "$(value box pid)")
holder=$(outside "$(value box holder)")
look outside "$pid"
run_look text "$nh" "$pid"
run_look inside nsenter -t "$pid" -p -m -n "$nh" -f json "$(value box pid)"
looked

check "the host has other numbers" [ "$pid" != "$(value box pid)" ]
check "from outside: exit 1" exits outside 1
check "from outside: convicts the holder by its host PID" \
	tells outside "c.pid == $holder and f.confidence == 'confirmed' and len(edges) == 4"
check "from outside: its descriptor leads to the chain's socket" tells outside \
	"any(s.inode == int('$(readlink "/proc/$holder/fd/$(ask outside c.fd)" | tr -dc 0-9)')
	and s.netns != $(readlink /proc/self/ns/net | tr -dc 0-9) for s in rows('sockets'))"
check "from outside: PIDs of the container are in the case" \
	tells outside "any(p.nspid == [$holder, $(value box holder)] for p in rows('processes'))"
check "from outside: and in the text" \
	grep -qE "$(value box holder) (in|inside) (its|the) (container|pid namespace)" "$tmp/text.json"
check "from inside: exit 1" exits inside 1
check "from inside: convicts the holder by the PID known there" \
	convicts inside confirmed "$(value box holder)" "$(ask outside c.fd)"
check "from inside: the view's limit is said" \
	tells inside "any('outside this pid namespace' in g for g in gaps)"
remedy=$(ask outside "next(r.command for r in f.remedy if 'kill' in (r.command or ''))")
check "from outside: the remedy works there" sh -c "$remedy"
check "and releases the abort" soon says box 'rank0: ncclCommAbort returned'
done_testing
