#!/bin/sh
# A process that was killed and cannot end: the kernel waits for a disk on its behalf.  The disk is a
# block device over a file that is never read.
. tests/lib/live.sh

start loop "$fixtures/fusefs" loop
child=$(value loop child)
soon grep -q '^State:.*D' "/proc/$child/status"
sleep 0.2
look loop "$(value loop pid)"
looked
check "it was killed and lives on" lives "$child"
check "the driver stalls" exits loop 1
check "the one that was killed is the culprit" tells loop "len(fs) == 1 and f.id == 'driver-stall' and
	f.confidence == 'confirmed' and c.pid == $child and c.comm == 'disk'"
check "its parent is a victim" tells loop "any(x.pid == $(value loop pid) for x in f.victims)"
check "the pending signal is told" tells loop "any('SIGKILL is pending' in e for e in f.evidence)"
exec 9>&-
check "with its disk it ends" soon gone "$child"
done_testing
