#!/bin/sh
# Recorded trees of /proc (made by tests/lib/record_proc.py from the demo) are read like a live one,
# with nothing of this machine mixed in.
. tests/lib/live.sh

if [ "$(uname -m)" != x86_64 ]; then
	echo "the recordings hold system calls of x86_64"
	exit 77
fi
for tree in close healthy; do
	cp "tests/proc/$tree/recorded" "$tmp/$tree.out"
	look $tree --root "$PWD/tests/proc/$tree" "$(value $tree pid)"
done
look relative --root tests/proc/close --interval 0 "$(value close pid)"
look search --root "$PWD/tests/proc/close" --interval 0
look wrong --root "$PWD/tests/proc/close" 1
look noroot --root "$tmp/nowhere" 1
looked

helper=$(value close helper)
fd=$(ask close c.fd)
check "close: exit 1" exits close 1
# Reading one recording twice is not two samples.
check "close: convicts the helper, as surely as one sample can" \
	convicts close likely "$helper" "$fd"
inode=$(readlink "tests/proc/close/$helper/fd/$fd" | tr -dc 0-9)
check "close: that descriptor is the recorded socket" \
	tells close "any(s.inode == $inode for s in rows('sockets'))"
check "close: nobody else was looked at" tells close "{p.pid for p in rows('processes')} ==
	{$(value close pid), $helper}"
check "close: the boot is the recorded one" tells close "h.boot_id.startswith('00000000-')"
check "healthy: nothing found" finds_nothing healthy
check "a relative path: the same" exits relative 1
check "no PID: found by its environment" exits search 1
check "a PID that is only on this machine: 66" exits wrong 66
check "no such directory: 66" exits noroot 66
done_testing
