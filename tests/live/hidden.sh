#!/bin/sh
# The other end is open, yet in no descriptor table that a plain walk over the processes sees: a
# call that blocks on a descriptor closed meanwhile, a thread's own table, a message in flight.
. tests/lib/live.sh

for mode in reader unshared flight; do
	start $mode "$fixtures/service" $mode
	start $mode.idle "$fixtures/service" $mode idle
	look $mode "$(value $mode pid)"
	look $mode.idle "$(value $mode.idle pid)"
done
looked

for mode in reader unshared flight; do
	check "$mode: no plain descriptor leads there" \
		[ -z "$(fd_of "$(value $mode inode)" "$(value $mode pid)")" ]
done
check "closed under a blocked read: that possibility is named" \
	hides reader "blocks on fd $(value reader fd)"
check "in flight over a unix socket: that possibility is named" hides flight "in flight"
check "a thread's own table: exit 1" exits unshared 1
check "a thread's own table: convicts its process and descriptor" \
	convicts unshared confirmed "$(value unshared pid)" "$(value unshared fd)"
check "a thread's own table: names the thread" tells unshared "c.tid == $(value unshared tid)"
own_table=/proc/$(value unshared pid)/task/$(value unshared tid)/fd
check "a thread's own table: the kernel lists it there" \
	[ "$(readlink "$own_table/$(value unshared fd)")" = "socket:[$(value unshared inode)]" ]
for mode in reader unshared flight; do
	check "$mode: nobody joins, nothing found" finds_nothing $mode.idle
done
done_testing
