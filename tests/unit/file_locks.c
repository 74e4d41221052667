/* Locks on files: the kernel's rows, and which lock is in the way of which. */
#include "tap.h"

#include "know/file_lock.h"
#include "proc/parse.h"

#define TEXT(s) (s), sizeof(s) - 1

static void rows(void)
{
	static const char text[] = "1: FLOCK  ADVISORY  WRITE 2765 fe:00:10953173 0 EOF\n"
				   "1:   -> POSIX  ADVISORY  READ 7069 fe:1b:7 10 19\n"
				   "no row\n"
				   "2: OFDLCK ADVISORY  WRITE -1 <none>:0 0 EOF\n"
				   "lock:\t3: OFDLCK ADVISORY  WRITE -1 00:1f:9 4 EOF\n"
				   "4: DELEG  ACTIVE    READ 5 08:02:6 0 EOF\n"
				   "5: LEASE  BREAKING  READ 5 08:02:6 0";
	struct nh_lock_row r;
	size_t pos = 0;

	ok(nh_parse_lock(TEXT(text), &pos, &r) == 1 && r.number == 1 && !r.waiting);
	ok(r.kind == NH_LOCK_FLOCK && r.write && r.owner == 2765 && r.major == 0xfe && !r.minor);
	ok(r.inode == 10953173 && !r.start && r.end == NH_UNKNOWN);
	ok(nh_parse_lock(TEXT(text), &pos, &r) == 1 && r.waiting && r.kind == NH_LOCK_POSIX);
	ok(!r.write && r.minor == 0x1b && r.start == 10 && r.end == 19);
	ok(nh_parse_lock(TEXT(text), &pos, &r) == 1 && r.number == 3 && r.owner == -1);
	ok(r.kind == NH_LOCK_OFD && r.inode == 9 && r.start == 4);
	ok(nh_parse_lock(TEXT(text), &pos, &r) == 1 && r.kind == NH_LOCK_OTHER);
	ok(nh_parse_lock(TEXT(text), &pos, &r) == 0); /* cut */
	pos = 0;
	ok(nh_parse_lock("", 0, &pos, &r) == 0);
}

static void conflicts(void)
{
	struct nh_file_lock held = { .kind = NH_LOCK_POSIX,
		.write = true,
		.inode = 5,
		.device = "fe:00",
		.start = 10,
		.end = 19 };
	struct nh_file_lock wanted = held;

	wanted.waiting = true;
	wanted.write = false;
	ok(nh_file_lock_blocks(&held, &wanted) && !nh_file_lock_blocks(&wanted, &held));
	wanted.kind = NH_LOCK_OFD;
	ok(nh_file_lock_blocks(&held, &wanted));
	wanted.kind = NH_LOCK_FLOCK;
	ok(!nh_file_lock_blocks(&held, &wanted));
	wanted.kind = NH_LOCK_POSIX;
	wanted.start = 20, wanted.end = NH_UNKNOWN;
	ok(!nh_file_lock_blocks(&held, &wanted));
	held.end = NH_UNKNOWN;
	ok(nh_file_lock_blocks(&held, &wanted));
	held.write = false;
	ok(!nh_file_lock_blocks(&held, &wanted)); /* readers share */
	held.write = true;
	wanted.device = "08:01";
	ok(!nh_file_lock_blocks(&held, &wanted));
}

static int wanted_by(const char *call, uint64_t second)
{
	uint64_t args[6] = { 3, second };
	struct nh_thread t = { .args = { args, 6, 6 } };

	return nh_file_lock_wanted(&(struct nh_wait){ .call = call }, &t);
}

int main(void)
{
	rows();
	conflicts();
	ok(wanted_by("flock", 2) == NH_LOCK_FLOCK && wanted_by("fcntl", 7) == NH_LOCK_POSIX);
	ok(wanted_by("fcntl", 38) == NH_LOCK_OFD && !wanted_by("fcntl", 6) &&
		!wanted_by("read", 7));
	return done();
}
