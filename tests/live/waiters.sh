#!/bin/sh
# Whoever waits for nobody but a stuck process is held up with it; whoever may be woken by another is
# not.
. tests/lib/live.sh

start job "$fixtures/waiters"
sleep 0.1
look job "$(value job pid)"
looked

is_victim() { echo "any(v.pid == $(value job "$1") for v in f.victims)"; }
check "the worker's lock is the cause" tells job "f.id == 'fork-inherited-lock' and
	f.confidence == 'confirmed' and c.pid == $(value job worker) and len(fs) == 1"
check "the reader of its pipe is held up" tells job "$(is_victim reader)"
check "and who waits for the reader's end" tells job "$(is_victim pid)"
check "why is told, link by link" tells job "sum(' held up ' in ' ' + e for e in f.evidence) == 2"
check "who polls another's pipe too is not" tells job "not $(is_victim either)"
done_testing
