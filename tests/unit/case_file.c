#include "tap.h"
#include "case_fill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/str.h"
#include "case/intake.h"
#include "case/output.h"

static struct nh_arena arena;
static char dir[] = "/tmp/ncclhang-test-XXXXXX";

static const char *in_dir(const char *name)
{
	return nh_arena_printf(&arena, "%s/%s", dir, name);
}

static int save(const struct nh_case *c, const char *path, struct nh_err *err)
{
	struct nh_output *o;
	int rc = nh_output_open(path, &o, err);

	if (rc)
		return rc;
	nh_case_write(c, nh_output_sink(o));
	return nh_output_commit(o, err);
}

static void put(const char *path, const char *s, size_t n)
{
	FILE *f = fopen(path, "w");

	fwrite(s, 1, n, f);
	fclose(f);
}

static size_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (size_t)st.st_size;
}

static struct nh_case *long_case(void)
{
	struct nh_case *c = fill_case(&arena, "aaaa");

	for (int i = 0; i < 20000; i++)
		nh_case_row(c, fd, fds)->fd = i * 7919LL % 1000003;
	return c;
}

static void round_trip(const char *name)
{
	struct nh_intake *in = nh_intake_new(&arena);
	struct nh_case *c = long_case();
	const char *path = in_dir(name);
	struct nh_err err = { "" };
	struct stat st;

	ok(save(c, path, &err) == 0);
	ok(!stat(path, &st) && (st.st_mode & 07777) == 0600);
	ok(nh_intake_file(in, path, &err) == 0);
	ok(nh_intake_count(in) == 1 && nh_intake_complete(in, 0));
	is(err.msg, "");
	is(case_text(&arena, nh_intake_case(in, 0)), case_text(&arena, c));
}

/* A packed file that stops early is an error, and what came before is used. */
static void truncated(const char *name)
{
	struct nh_intake *in = nh_intake_new(&arena);
	const char *path = in_dir(name);
	struct nh_err err = { "" };

	ok(!truncate(path, (off_t)(size_of(path) * 3 / 4)));
	ok(nh_intake_file(in, path, &err) == -EBADMSG);
	ok(nh_starts_with(err.msg, path) && nh_ends_with(err.msg, " data ends early"));
	nh_intake_finish(in);
	ok(nh_intake_count(in) == 1 && !nh_intake_complete(in, 0));
}

/* gzip files may be joined; damage is told. */
static void joined_and_damaged(void)
{
	static const char first[] = "{\"case\":\"a\",\"n\":0}\n";
	static const char second[] = "{\"case\":\"a\",\"n\":1,\"end\":true}\n";
	struct nh_intake *in = nh_intake_new(&arena);
	const char *path = in_dir("part.gz");
	struct nh_output *o;
	struct nh_err err = { "" };
	char bytes[400];
	size_t n = 0;

	for (int i = 0; i < 2; i++) {
		struct nh_sink sink;
		FILE *f;

		ok(!nh_output_open(path, &o, &err));
		sink = nh_output_sink(o);
		sink.write(sink.ctx, i ? second : first, strlen(i ? second : first));
		ok(!nh_output_commit(o, &err));
		f = fopen(path, "r");
		n += fread(bytes + n, 1, 200, f);
		fclose(f);
	}
	put(path, bytes, n);
	ok(nh_intake_file(in, path, &err) == 0);
	ok(nh_intake_count(in) == 1 && nh_intake_complete(in, 0));
	memset(bytes + 12, 0xff, 8);
	put(path, bytes, n);
	ok(nh_intake_file(in, path, &err) == -EBADMSG);
	ok(strstr(err.msg, "part.gz: damaged gzip data: "));
}

static void refused(void)
{
	struct nh_intake *in = nh_intake_new(&arena);
	const char *path = in_dir("note");
	struct nh_err err;

	ok(nh_intake_file(in, dir, &err) == -EISDIR);
	ok(nh_intake_file(in, in_dir("none"), &err) == -ENOENT);
	ok(nh_ends_with(err.msg, "/none: No such file or directory"));
	put(path, "", 0);
	ok(nh_intake_file(in, path, &err) == -ENODATA);
	put(path, "hello\n", 6);
	ok(nh_intake_file(in, path, &err) == -EINVAL);
	ok(strstr(err.msg, "/note: not a case"));
	ok(nh_intake_count(in) == 0);
}

static void cannot_write(void)
{
	struct nh_case *c = long_case();
	struct nh_err err;
	struct nh_output *o;
	char stored[8] = "";
	const char *path = in_dir("kept");

	ok(save(c, "/dev/full", &err) == -ENOSPC);
	is(err.msg, "cannot write /dev/full: No space left on device");
	ok(save(c, "/dev/null", &err) == 0);
	ok(save(c, dir, &err) == -EISDIR);
	ok(save(c, in_dir("none/x"), &err) == -ENOENT);
	put(path, "old", 3);
	ok(!nh_output_open(path, &o, &err));
	ok(size_of(path) == 3);
	nh_output_abort(o);
	nh_output_abort(NULL);
	ok(size_of(path) == 3);
	ok(!symlink("/dev/full", in_dir("full.gz")) && !symlink("/dev/full", in_dir("full.zst")));
	ok(save(c, in_dir("full.gz"), &err) == -ENOSPC);
	ok(save(c, in_dir("full.zst"), &err) == -ENOSPC);
	ok(readlink(in_dir("full.gz"), stored, sizeof(stored)) > 0);
}

/* Through a link its target is replaced; a FIFO is written to; nothing else is left behind. */
static void special_targets(void)
{
	struct nh_case *c = fill_case(&arena, "aaaa");
	const char *fifo = in_dir("fifo"), *link = in_dir("link"), *target = in_dir("target");
	char buf[5] = "";
	struct nh_err err;
	struct stat st;
	int fd;

	put(target, "old", 3);
	ok(!symlink("target", link));
	ok(save(c, link, &err) == 0);
	ok(!lstat(link, &st) && S_ISLNK(st.st_mode) && size_of(target) > 1000);
	ok(!mkfifo(fifo, 0600));
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	ok(save(c, fifo, &err) == 0);
	ok(read(fd, buf, 4) == 4);
	is(buf, "{\"ca");
	close(fd);
}

/* Standard input is a pipe more often than not. */
static void from_stdin(void)
{
	static const char text[] =
		"n1: {\"case\":\"a\",\"n\":0}\nn1: {\"case\":\"a\",\"n\":1,\"end\":7}\n";
	struct nh_intake *in = nh_intake_new(&arena);
	struct nh_err err;
	int ends[2];

	ok(!pipe(ends) && dup2(ends[0], 0) == 0);
	ok(write(ends[1], text, sizeof(text) - 1) > 0);
	close(ends[0]);
	close(ends[1]);
	ok(nh_intake_file(in, "-", &err) == 0);
	ok(nh_intake_count(in) == 1 && !nh_intake_complete(in, 0));
	ok(fcntl(0, F_GETFD) >= 0);
	put(in_dir("bad"), "{\"case\":\"a\",\"n\":\"0\"}\n", 21);
	ok(nh_intake_file(in, in_dir("bad"), &err) == 0);
	ok(nh_starts_with(nh_intake_error(in, 0), in_dir("bad: line 1: ")));
}

static size_t remove_dir(void)
{
	size_t leftovers = 0;
	DIR *d = opendir(dir);

	for (struct dirent *e; (e = readdir(d));) {
		leftovers += nh_starts_with(e->d_name, ".ncclhang");
		if (e->d_name[0] != '.' || nh_starts_with(e->d_name, ".ncclhang"))
			unlink(in_dir(e->d_name));
	}
	closedir(d);
	rmdir(dir);
	return leftovers;
}

int main(void)
{
	if (!mkdtemp(dir))
		return 77;
	round_trip("case.json");
	round_trip("case.json.gz");
	round_trip("case.json.zst");
	ok(size_of(in_dir("case.json.gz")) < size_of(in_dir("case.json")) / 2);
	ok(size_of(in_dir("case.json.zst")) < size_of(in_dir("case.json")) / 2);
	truncated("case.json.gz");
	truncated("case.json.zst");
	joined_and_damaged();
	refused();
	cannot_write();
	special_targets();
	from_stdin();
	ok(remove_dir() == 0);
	nh_arena_free(&arena);
	return done();
}
