#!/bin/sh
# A child in a frozen control group, of version 1 and of version 2: its parent waits for its end and
# for what it sends.
. tests/lib/live.sh

v1=$(awk '$(NF - 2) == "cgroup" && $NF ~ /(^|,)freezer(,|$)/ { print $5; exit }' /proc/self/mountinfo)
v2=$(awk '$(NF - 2) == "cgroup2" { print $5; exit }' /proc/self/mountinfo)
groups=
thaw() {
	for group in $groups; do
		echo THAWED >"$group/freezer.state"
		echo 0 >"$group/cgroup.freeze"
		xargs kill <"$group/cgroup.procs"
		soon rmdir "$group"
	done 2>/dev/null
}
trap 'thaw; kill $children; rm -rf "$tmp"' EXIT

begin() { # NAME
	start "$1" "$python" -c '
import os, socket, subprocess, sys, threading
ours, theirs = socket.socketpair()
child = subprocess.Popen(["sleep", "1000"], pass_fds=[theirs.fileno()])
theirs.close()
print(f"pid={os.getpid()} child={child.pid}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), child.kill(), os._exit(0)), daemon=True).start()
threading.Thread(target=lambda: ours.recv(1), daemon=True).start()
child.wait()
'
}
# freeze NAME GROUP FILE WORD
freeze() {
	groups="$groups $2"
	mkdir "$2" 2>/dev/null && value "$1" child >"$2/cgroup.procs" 2>/dev/null &&
		[ -e "$2/$3" ] && echo "$4" >"$2/$3"
}
begin running
set --
for version in v1 v2; do
	begin $version
	if case $version in
	   v1) [ -n "$v1" ] && freeze v1 "$v1/nh-test-$$" freezer.state FROZEN ;;
	   v2) [ -n "$v2" ] && freeze v2 "$v2/nh-test-$$" cgroup.freeze 1 ;;
	   esac; then
		set -- "$@" $version
	else
		skip "$version: a frozen child" "cannot freeze a group here"
	fi
done
sleep 0.2
for name in running "$@"; do look "$name" "$(value "$name" pid)"; done
looked
check "a group that runs: nothing found" finds_nothing running
for version in "$@"; do
	child=$(value "$version" child)
	check "$version: a frozen child" exits "$version" 1
	check "$version: is the culprit" tells "$version" "len(fs) == 1 and f.id == 'stopped-process' and
		f.confidence == 'confirmed' and c.pid == $child and 'frozen' in f.title"
	check "$version: who waits for its end or its data is a victim" tells "$version" \
		"sum(x.pid == $(value "$version" pid) for x in f.victims) == 2"
	check "$version: by its PID and by its socket" tells "$version" "set(edges) ==
		{'waits for its child', 'reads', 'is connected to', 'is held open by'}"
	remedy=$(ask "$version" "next(r.command for r in f.remedy if 'echo' in (r.command or ''))")
	case $version$v1$v2 in
	v1/sys/fs/cgroup/freezer*)
		sh -c "$remedy"
		thawed() { grep -q THAWED "$v1/nh-test-$$/freezer.state"; }
		check "v1: the remedy thaws it" soon thawed
		;;
	esac
done
done_testing
