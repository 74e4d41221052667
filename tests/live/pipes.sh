#!/bin/sh
# Pipes, FIFOs, socket pairs and event descriptors: who waits on them and who holds them.
. tests/lib/live.sh

mkfifo "$tmp/requests" "$tmp/nobody" "$tmp/absent"
hung="self pool pair dead deadpair"
healthy="handler selfpipe thread worker late objects"
python_hung="queue tracker communicate"
python_healthy="workers asyncio executor coprocess pipeline"
for name in $hung $healthy; do
	start "$name" "$fixtures/pipes" "$name"
done
start server "$fixtures/pipes" server "$tmp/requests"
start open "$fixtures/pipes" open "$tmp/nobody"
start opener "$python" tests/live/pipes.py opener "$tmp/absent"
for name in $python_hung $python_healthy; do
	start "$name" "$python" tests/live/pipes.py "$name"
done
# shellcheck disable=SC2016
start substitution sh -c 'echo pid=$$; exec 3<&0; x=$({ cat <&3 >/dev/null; :; } & exit 1)'
start stages sh -c 'echo pid=$$; cat | cat'
start follow sh -c 'echo pid=$$; exec tail -f /dev/null'
start reader sh -c "echo pid=\$\$; exec cat '$tmp/requests'"
sleep 0.5
sorted="$hung $healthy server open opener $python_hung $python_healthy substitution stages follow reader"
for name in $sorted; do
	look "$name" "$(value "$name" pid)"
done
looked

finds() { # NAME ID CONFIDENCE CULPRIT
	exits "$1" 1 && tells "$1" "len(fs) == 1 and f.id == '$2' and f.confidence == '$3' and
		c.pid == $4 and f.victims[0].pid == $(value "$1" pid)"
}
for name in self pool pair; do
	check "$name: only the reader could write" \
		finds $name held-pipe confirmed "$(value $name pid)"
done
check "self: from the thread over the pipe to its holder" \
	tells self "edges == ['reads', 'is held open by'] and c.fd == $(value self write)"
check "pair: over the other end" \
	tells pair "edges == ['reads', 'is connected to', 'is held open by']"
check "pool: each other thread's wait is told" \
	tells pool "any('other 1 threads' in e for e in f.evidence)"
for name in dead deadpair queue; do
	check "$name: the child that should have written is dead" \
		finds $name dead-peer likely "$(value $name child)"
done
check "queue: it was killed" tells queue "any('signal 9' in e for e in f.evidence)"
check "tracker: a bare fork's child keeps its pipe" \
	finds tracker held-pipe confirmed "$(value tracker child)"
check "tracker: main, tracker, pipe, child" tells tracker "edges ==
	['waits for its child', 'runs', 'reads', 'is held open by']"
check "communicate: an orphan keeps the output" \
	finds communicate held-pipe confirmed "$(value communicate child)"
orphan() {
	tells substitution "f.id == 'held-pipe' and f.confidence == 'confirmed' and c.comm == 'sh' and
		c.pid != $(value substitution pid)"
}
check "a shell's substitution: the same" orphan
check "open: nobody has the other end of the FIFO" tells open "len(fs) == 1 and
	f.id == 'dead-peer' and f.confidence == 'confirmed' and edges == ['opens'] and
	not f.culprit and f.victims[0].pid == $(value open pid) and '$tmp/nobody' in f.title"
check "opener: a child that opens one; its parent waits for it" tells opener "f.id == 'dead-peer' and
	f.confidence == 'confirmed' and [v.pid for v in f.victims] ==
	[$(value opener child), $(value opener pid)]"
for name in $healthy server $python_healthy stages follow reader; do
	check "$name: nothing found" finds_nothing "$name"
done

# A descriptor's row of the last sample: row NAME PID CONDITION
row() { tells "$1" "any(r.pid == $2 and $3 for r in rows('fds'))"; }
check "the reader's end of its pipe" row worker "$(value worker pid)" "r.kind == 'pipe' and
	r.mode == 'r' and r.inode and r.flags is not None"
check "its own write end" row worker "$(value worker pid)" "r.kind == 'pipe' and r.mode == 'w'"
check "the write end that the child holds" row worker "$(value worker child)" \
	"r.kind == 'pipe' and r.mode == 'w'"
check "a named FIFO is a pipe with a path" row server "$(value server pid)" \
	"r.kind == 'pipe' and r.mode == 'rw' and r.dev and r.path == '$tmp/requests'"
check "an eventfd's number and counter" row objects "$(value objects pid)" \
	"r.path == 'anon_inode:[eventfd]' and r.id is not None and r.count == 0"
check "a timer that runs" row objects "$(value objects pid)" \
	"r.path == 'anon_inode:[timerfd]' and r.timer_ms > 3000000"
check "both ends of a socket pair" tells pair "any(s.family == 'unix' and any(o.inode == s.peer_inode
	and any(r.inode == o.inode and r.pid == $(value pair pid) for r in rows('fds'))
	for o in rows('sockets')) for s in rows('sockets'))"
"$nh" --interval 0 -a "$(value objects pid)" 2>&1 | tr -s '\n ' ' ' >"$tmp/objects.txt"
check "an epoll set in words" grep -q -e 'epoll_wait, no timeout: ' "$tmp/objects.txt"
check "with everything in it" grep -q -e '1 epoll, 1 eventfd, 1 pipe, 1 socket, 1 timerfd' \
	"$tmp/objects.txt"
done_testing
