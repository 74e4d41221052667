#!/bin/sh
# As an ordinary user: one's own processes are explained in full; where something is out of reach,
# the verdict drops to what was seen and says what would show the rest.
. tests/lib/live.sh

user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
# Where the build tree lies may be closed to others.
cp "$nh" "$fixtures/service" "$tmp/"
nh=$tmp/ncclhang

start own user "$tmp/service" helpers
start undumpable user "$tmp/service" undumpable
run_look own user "$nh" -f json "$(value own pid)"
run_look undumpable user "$nh" -f json "$(value undumpable pid)"
if [ "$(id -u)" = 0 ]; then
	start foreign "$tmp/service" foreign
	run_look foreign user "$nh" -f json "$(value foreign pid)"
	run_look all user "$nh" -f json
	run_look text user "$nh" "$(value foreign pid)"
	look root "$(value foreign pid)"
fi
looked

scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo none)
case $scope in
0 | none)
	check "own processes: exit 1" exits own 1
	check "own processes: the same verdict as root's" \
		convicts own confirmed "$(helpers own)" "$(value own fd)"
	skip "kernel.yama.ptrace_scope" "it is $scope here"
	;;
*)
	check "ptrace_scope $scope: exit 2" exits own 2
	check "ptrace_scope $scope: the gap names it" \
		tells own "any('ptrace_scope is $scope' in g for g in gaps)"
	check "ptrace_scope $scope: and the command" \
		tells own "any(g.grant == 'sudo $nh -f json $(value own pid)' for g in rows('gaps'))"
	;;
esac

pid=$(value undumpable pid)
if [ "$(id -u)" = 0 ]; then
	check "not dumpable: exit 2" exits undumpable 2
	check "not dumpable: nobody is convicted" tells undumpable "not fs"
	check "not dumpable: the gap names it and the command" tells undumpable \
		"any(g.subject == 'pid $pid' and g.grant == 'sudo $nh -f json $pid' for g in rows('gaps'))"
else
	skip "not dumpable" "needs root to be another user"
fi

if [ "$(id -u)" != 0 ]; then
	skip "a foreign holder" "needs root to be another user"
	done_testing
	exit
fi
pid=$(value foreign pid)
check "a foreign holder: nobody is named" hides foreign "could not be"
check "a foreign holder: the gap names the helper and its uid" tells foreign \
	"any(g.subject == 'pid $(value foreign helper)' and 'uid 65533' in g.why for g in rows('gaps'))"
check "a foreign holder: the gap names the command" \
	tells foreign "any(g.grant == 'sudo $nh -f json $pid' for g in rows('gaps'))"
check "a foreign holder: the text shows that command" grep -qF "sudo $nh $pid" "$tmp/text.json"
check "a foreign holder: root sees it" convicts root confirmed "$(value foreign helper)" \
	"$(fd_of "$(value foreign inode)" "$(value foreign helper)")"
check "no PID: what could not be examined is counted" tells all \
	"h.unexamined > 0 and any('training process' in g for g in gaps)"
done_testing
