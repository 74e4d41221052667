#!/bin/sh
# Pipes, FIFOs, socket pairs and event descriptors: who waits on them and who holds them.
. tests/lib/live.sh

mkfifo "$tmp/requests"
start worker "$fixtures/pipes" worker
start objects "$fixtures/pipes" objects
start server "$fixtures/pipes" server "$tmp/requests"
start pair "$fixtures/pipes" pair
sleep 0.2
for name in worker objects server pair; do
	look $name --interval 0 "$(value $name pid)"
done
looked

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
