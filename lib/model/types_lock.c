/* Tables, one row a line. */
/* clang-format off */
#include "model/lock.h"
#include "model/types.h"

static const char *const kind_names[] = { "", "flock", "posix", "ofd", "lease", "other", NULL };

#define S nh_file_lock
TYPE(nh_file_lock_type, "file_lock",
	F(INT, sample),
	F(INT, number),
	E(kind, kind_names),
	F(BOOL, write),
	F(BOOL, waiting),
	F(INT, owner),
	F(INT, inode),
	F(STR, device),
	F(INT, start),
	F(INT, end),
	F(INT, pid),
	F(INT, tid),
	F(INT, fd),
	P(STR, path, PATH));
#undef S

#define S nh_lock_file
TYPE(nh_lock_file_type, "lock_file",
	F(INT, pid),
	F(INT, tid),
	F(STR, library),
	P(STR, path, PATH),
	F(INT, inode),
	F(STR, device),
	F(INT, mtime_ms),
	F(BOOL, searched),
	F(INTS, open_in));
#undef S

#define S nh_shared_map
TYPE(nh_shared_map_type, "shared_map",
	F(INT, pid),
	F(INT, tid),
	F(INT, inode),
	P(STR, path, PATH),
	F(BOOL, deleted),
	F(INT, offset));
#undef S
