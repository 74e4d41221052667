#!/bin/sh
# A file system whose server does not answer: threads and processes that read or look at its file
# hang, whoever was killed in it does not end, and we must not touch it ourselves.
. tests/lib/live.sh

for mode in silent killed healthy; do
	start "$mode" "$fixtures/fusefs" "$mode"
	[ $mode != killed ] || soon grep -q '^State:.*D' "/proc/$(value killed child)/status"
	look "$mode" "$(value "$mode" pid)"
done
look once --interval 0 "$(value silent pid)"
looked

stalls() { # NAME CONFIDENCE
	exits "$1" "$3" && tells "$1" "len(fs) == 1 and f.id == 'filesystem-stall' and f.confidence == '$2'"
}
check "silent: the file system stalls" stalls silent confirmed 1
check "silent: reader, stat and the child that reads are its victims, and who waits for the child" \
	tells silent "len(f.victims) == 4 and
		{v.pid for v in f.victims} == {$(value silent pid), $(value silent child)}"
check "silent: the mount is told" tells silent "'FUSE at /tmp/served-' in f.title and 'fuse.slow' in f.title"
check "silent: by the path of stat" \
	tells silent "any(t.path and t.path.endswith('/data') and t.fstype == 'fuse.slow' and t.source == 'store'
		for t in rows('threads'))"
check "silent: by the descriptor of read" \
	tells silent "any(d.fstype == 'fuse.slow' and d.mount.startswith('/tmp/served-') for d in rows('fds'))"
check "silent: nobody is blamed" tells silent "not f.culprit"
check "killed: the same" stalls killed confirmed 1
check "killed: its child is to die and cannot" \
	tells killed "any(p.pid == $(value killed child) and p.killed and p.state == 'D' for p in rows('processes'))"
check "killed: that is told" tells killed "any('SIGKILL pending' in e for e in f.evidence)"
if [ -n "$(head -n 1 /proc/self/stack 2>/dev/null)" ]; then
	check "silent: with the functions in the kernel" \
		tells silent "any('request_wait_answer' in (t.kernel or []) for t in rows('threads'))"
else
	skip "silent: with the functions in the kernel" "/proc/PID/stack cannot be read here"
fi
check "one sample: nothing can be said of who could be woken" finds_nothing once
check "healthy, but late: nothing found" finds_nothing healthy
exec 9>&-
check "the killed child could end" soon gone "$(value killed child)"
done_testing
