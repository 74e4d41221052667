/* Reading relative to a directory descriptor: this process' own /proc and files made here. */
#include "tap.h"
#include "proc/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(int dir, const char *name, size_t n)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (size_t i = 0; i < n; i++)
		if (write(fd, &"0123456789"[i % 10], 1) != 1)
			abort();
	close(fd);
}

static void files(int dir)
{
	struct nh_arena a = { 0 };
	char small[8], *whole = NULL;
	int cut = -1;

	write_file(dir, "f", 40000);
	ok(nh_read_small(dir, "f", small, sizeof(small)) == 7);
	is(small, "0123456");
	ok(nh_read_small(dir, "none", small, sizeof(small)) == -ENOENT);
	ok(nh_read_whole(&a, dir, "f", 1 << 20, &whole, &cut) == 40000);
	ok(!cut && strlen(whole) == 40000 && !strcmp(whole + 39997, "789"));
	ok(nh_read_whole(&a, dir, "f", 40000, &whole, &cut) == 40000 && !cut);
	ok(nh_read_whole(&a, dir, "f", 39999, &whole, &cut) == 39999 && cut);
	ok(strlen(whole) == 39999);
	write_file(dir, "f", 0);
	ok(nh_read_whole(&a, dir, "f", 10, &whole, NULL) == 0 && !*whole);
	ok(nh_read_whole(&a, dir, "none", 10, &whole, &cut) == -ENOENT);
	ok(nh_read_whole(&a, dir, ".", 10, &whole, &cut) == -EISDIR);
	ok(nh_dir_open(dir, "f") == -ENOTDIR);
	unlinkat(dir, "f", 0);
	ok(!mkfifoat(dir, "f", 0600));
	ok(nh_read_small(dir, "f", small, sizeof(small)) == 0); /* must not wait for a writer */
	unlinkat(dir, "f", 0);
	nh_arena_free(&a);
}

static void links(int dir)
{
	static const struct {
		const char *target;
		int64_t inode;
	} ns[] = {
		{ "net:[4026531840]", 4026531840 },
		{ "net:[]", -EINVAL },
		{ "net:[12", -EINVAL },
		{ "net", -EINVAL },
	};
	char buf[16];

	ok(!symlinkat("socket:[12]", dir, "l"));
	ok(nh_read_link(dir, "l", buf, sizeof(buf)) == 11);
	is(buf, "socket:[12]");
	ok(nh_read_link(dir, "l", buf, 12) == 11);
	ok(nh_read_link(dir, "l", buf, 11) == -ENAMETOOLONG);
	ok(nh_read_link(dir, "none", buf, sizeof(buf)) == -ENOENT);
	unlinkat(dir, "l", 0);
	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++) {
		ok(!symlinkat(ns[i].target, dir, "l"));
		ok(nh_read_ns(dir, "l") == ns[i].inode);
		unlinkat(dir, "l", 0);
	}
	ok(nh_read_ns(AT_FDCWD, "/proc/self/ns/net") > 0);
}

struct seen {
	int64_t n, sum;
	int stop;
};

static int see(void *ctx, int dirfd, int64_t number)
{
	struct seen *s = ctx;

	s->n++;
	s->sum += number;
	return dirfd < 0 ? -1 : s->stop;
}

static void numbers(int dir)
{
	static const char *const names[] = { "7", "x7", "7x", "-7", "9999999999999999999", "8" };
	struct seen s = { 0 };
	char name[16];
	int made = 0;

	ok(!nh_each_number(dir, ".", see, &s) && s.n == 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ok(!mkdirat(dir, names[i], 0700));
	ok(!nh_each_number(dir, ".", see, &s) && s.n == 2 && s.sum == 15);
	s = (struct seen){ .stop = 42 };
	ok(nh_each_number(dir, ".", see, &s) == 42 && s.n == 1);
	ok(nh_each_number(dir, "none", see, &s) == -ENOENT);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlinkat(dir, names[i], AT_REMOVEDIR);
	/* More than one buffer of names. */
	for (int i = 0; i < 4000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		made += !mkdirat(dir, name, 0700);
	}
	ok(made == 4000);
	s = (struct seen){ 0 };
	ok(!nh_each_number(dir, ".", see, &s) && s.n == 4000 && s.sum == 4000 * 3999 / 2);
	for (int i = 0; i < 4000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		unlinkat(dir, name, AT_REMOVEDIR);
	}
}

int main(void)
{
	char path[] = "/tmp/ncclhang-read-XXXXXX";
	int dir;

	if (!mkdtemp(path))
		return 77;
	dir = nh_dir_open(AT_FDCWD, path);
	ok(dir >= 0 && fcntl(dir, F_GETFD) == FD_CLOEXEC);
	files(dir);
	links(dir);
	numbers(dir);
	ok(!rmdir(path));
	return done();
}
