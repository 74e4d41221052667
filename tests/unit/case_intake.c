#include "tap.h"
#include "case_fill.h"
#include "base/str.h"
#include "case/intake.h"

static struct nh_arena arena;

static void feed(struct nh_intake *in, const char *s)
{
	nh_intake_feed(in, "x.json", s, strlen(s));
}

static struct nh_intake *read_text(const char *s)
{
	struct nh_intake *in = nh_intake_new(&arena);

	feed(in, s);
	nh_intake_end_source(in, "x.json");
	nh_intake_finish(in);
	return in;
}

struct line {
	const char *host, *s;
	size_t n;
};

static size_t split(const char *host, const char *text, struct line *lines)
{
	size_t n = 0;

	for (const char *nl; (nl = strchr(text, '\n')); text = nl + 1)
		lines[n++] = (struct line){ host, text, (size_t)(nl - text) };
	return n;
}

/* A case of several lines. */
static struct nh_case *long_case(const char *id)
{
	struct nh_case *c = fill_case(&arena, id);

	for (int i = 0; i < 5000; i++)
		nh_case_row(c, fd, fds)->path = "/some/file/that/is/open";
	return c;
}

/* Three hosts' lines shuffled, as pdsh prints them, arriving a few bytes at a time. */
static void interleaved(void)
{
	static const char *const ids[] = { "aaaa", "bbbb", "cccc" };
	static const char *const hosts[] = { "node1", "node2", NULL };
	struct nh_intake *in = nh_intake_new(&arena);
	struct line lines[64];
	struct text t = { 0 };
	const char *texts[3];
	unsigned int seed = 7;
	size_t n = 0;

	for (int i = 0; i < 3; i++) {
		texts[i] = case_text(&arena, long_case(ids[i]));
		n += split(hosts[i], texts[i], lines + n);
	}
	ok(n > 12);
	for (; n; n--) {
		size_t i = (size_t)rand_r(&seed) % n;

		if (lines[i].host) {
			text_write(&t, lines[i].host, strlen(lines[i].host));
			text_write(&t, ": ", 2);
		}
		text_write(&t, lines[i].s, lines[i].n);
		text_write(&t, "\r\n\n", 3);
		lines[i] = lines[n - 1];
	}
	for (size_t i = 0; i < t.n; i += 777)
		nh_intake_feed(in, "-", t.s + i, t.n - i < 777 ? t.n - i : 777);
	nh_intake_end_source(in, "-");
	nh_intake_finish(in);
	is(nh_intake_error(in, 0), NULL);
	ok(nh_intake_count(in) == 3);
	for (size_t i = 0; i < 3; i++) {
		const struct nh_case *c = nh_intake_case(in, i);

		ok(nh_intake_complete(in, i));
		ok(c->fds.n == 5003);
		ok(c->gaps.n == 3);
		for (size_t k = 0; k < 3; k++)
			if (nh_streq(c->id, ids[k]))
				ok(strlen(case_text(&arena, c)) == strlen(texts[k]));
	}
	free(t.s);
}

static void lost_cut_and_twice(void)
{
	struct nh_intake *in = read_text("node7: {\"case\":\"a\",\"n\":1,\"fds\":[{\"fd\":1}]}\n"
					 "node7: {\"case\":\"a\",\"n\":1,\"fds\":[{\"fd\":1}]}\n"
					 "node7: {\"case\":\"a\",\"n\":2,\"fds\":[{\"fd\":2}]}\n"
					 "node7: {\"case\":\"a\",\"n\":3,\"fds\":[{\"fd\":3},{\"f\n"
					 "node7: {\"case\":\"a\",\"n\":4}\n"
					 "node7: {\"case\":\"a\",\"n\":8}\n");
	struct nh_case *c = nh_intake_case(in, 0);

	ok(nh_intake_count(in) == 1 && !nh_intake_complete(in, 0));
	ok(c->fds.n == 2);
	ok(nh_starts_with(nh_intake_error(in, 0), "x.json: line 4, column "));
	ok(strstr(nh_intake_error(in, 0), "not valid JSON"));
	is(nh_intake_error(in, 1), NULL);
	ok(c->gaps.n == 4);
	is(c->gaps.v[0].subject, "case a of node7");
	is(c->gaps.v[0].what, "line 0");
	is(c->gaps.v[1].what, "line 3");
	is(c->gaps.v[2].what, "lines 5-7");
	is(c->gaps.v[3].what, "the end, from line 9 on");
	is(c->gaps.v[3].why, "lost or cut");
	ok(c->gaps.v[0].needed && c->gaps.v[3].needed);
}

static void wrong_types(void)
{
	struct nh_intake *in = read_text(
		"{\"case\":\"a\",\"n\":0,\"host\":\"h\"}\n"
		"h: {\"case\":\"a\",\"n\":1,\"threads\":[{\"tid\":1,\"comm\":\"a\\\"{[\"},"
		"{\"pid\":5,\"waits\":[{\"fd\":1}],\"tid\":\"x\",\"args\":[\"0x1\",2]},7]}\n"
		"{\"case\":\"a\",\"n\":2,\"threads\":{},\"fds\":[{\"fd\":1.5}],"
		"\"future\":[1],\"modules\":[{\"base\":\"0x1G\",\"end\":\"0xABcd\",\"x\":1}]}\n"
		"{\"case\":\"a\",\"n\":3,\"verdict\":{\"status\":\"newer\","
		"\"findings\":[{\"chain\":[{\"fact\":3}]}]},\"end\":true}\n");
	struct nh_case *c = nh_intake_case(in, 0);

	is(nh_intake_error(in, 0),
		"x.json: line 2, column 86: thread.tid: expected an integer, found a string");
	is(nh_intake_error(in, 1), "x.json: line 2, column 110: thread.args: expected an address "
				   "\"0x...\", found an integer");
	is(nh_intake_error(in, 2),
		"x.json: line 2, column 114: threads: expected an object, found an integer");
	is(nh_intake_error(in, 3),
		"x.json: line 3, column 19: threads: expected a list, found an object");
	is(nh_intake_error(in, 4),
		"x.json: line 3, column 40: fd.fd: expected an integer, found a real number");
	is(nh_intake_error(in, 5), "x.json: line 3, column 76: module.base: expected an address "
				   "\"0x...\", found a string");
	is(nh_intake_error(in, 6),
		"x.json: line 4, column 70: link.fact: expected a string, found an integer");
	is(nh_intake_error(in, 7), NULL);
	ok(c->threads.n == 2 && c->threads.v[1].pid == 5 && c->threads.v[1].tid == NH_UNKNOWN);
	ok(c->threads.v[1].args.n == 0 && c->threads.v[1].waits.n == 1);
	ok(c->fds.n == 1 && c->modules.v[0].base == 0 && c->modules.v[0].end == 0xabcd);
	ok(c->verdict.status == 0 && c->verdict.findings.n == 1);
	ok(nh_intake_complete(in, 0) && c->gaps.n == 0);
}

static void other_lines(void)
{
	struct nh_intake *in = read_text("ssh: no route\n\n  \r\n{\"n\":1}\n[1]\n{\"case\":\"a\","
					 "\"n\":0,\"schema\":2,\"host\":\"h\"}\n"
					 "{\"case\":\"a\",\"n\":1,\"end\":true} x\n"
					 "{\"case\":\"a\",\"n\":1,\"n\":1}\n"
					 "{\"case\":\"a\",\"n\":1,\"end\":true}");

	is(nh_intake_error(in, 0), "x.json: line 1: not a line of a case");
	is(nh_intake_error(in, 1), "x.json: line 4: not a line of a case: no \"case\" and \"n\"");
	is(nh_intake_error(in, 2), "x.json: line 5: not a line of a case");
	is(nh_intake_error(in, 3), "x.json: line 6: written by a newer ncclhang (schema 2), this "
				   "one reads 1");
	ok(nh_starts_with(nh_intake_error(in, 4), "x.json: line 7, column "));
	ok(strstr(nh_intake_error(in, 5), "duplicate"));
	is(nh_intake_error(in, 6), NULL);
	ok(nh_intake_complete(in, 0));
	is(nh_intake_case(in, 0)->host, "h");
}

static void many_errors(void)
{
	struct nh_intake *in = nh_intake_new(&arena);
	size_t n = 0;

	for (int i = 0; i < 1000; i++)
		feed(in, "noise\n");
	while (nh_intake_error(in, n))
		n++;
	ok(n == 101);
	is(nh_intake_error(in, 100), "900 more such errors");
}

/* One bad byte costs itself, not its line. */
static void bad_bytes(void)
{
	struct nh_intake *in =
		read_text("{\"case\":\"a\",\"n\":0,\"host\":\"h\xff\",\"tool\":7,\"gaps\":[]}\n");

	is(nh_intake_case(in, 0)->host, "h\xef\xbf\xbd");
	is(nh_intake_error(in, 0),
		"x.json: line 1, column 31: tool: expected a string, found an integer");
}

static void long_line(void)
{
	struct nh_intake *in = nh_intake_new(&arena);
	char *piece = nh_new(&arena, char, 1 << 20);

	memset(piece, ' ', 1 << 20);
	feed(in, "{\"case\":\"a\",\"n\":0");
	for (int i = 0; i < 20; i++)
		nh_intake_feed(in, "x.json", piece, 1 << 20);
	feed(in, "}\n{\"case\":\"a\",\"n\":1}\n");
	is(nh_intake_error(in, 0), "x.json: line 1: longer than 16 MiB, skipped");
	is(nh_intake_error(in, 1), NULL);
	ok(nh_intake_count(in) == 1);
}

/* Two sources may take turns in the middle of a line. */
static void two_sources(void)
{
	struct nh_intake *in = nh_intake_new(&arena);

	nh_intake_feed(in, "one", "{\"case\":\"a\",", 12);
	nh_intake_feed(in, "two", "{\"case\":\"b\",", 12);
	nh_intake_feed(in, "one", "\"n\":0}\n", 7);
	nh_intake_feed(in, "two", "\"n\":0}", 6);
	nh_intake_end_source(in, "two");
	nh_intake_end_source(in, "one");
	ok(nh_intake_count(in) == 2);
	is(nh_intake_error(in, 0), NULL);
	is(nh_intake_case(in, 0)->id, "a");
}

static void kinds(void)
{
	ok(nh_kind_detect("\x1f\x8b\x08", 3) == NH_KIND_GZIP);
	ok(nh_kind_detect("\x28\xb5\x2f\xfd", 4) == NH_KIND_ZSTD);
	ok(nh_kind_detect(" \n", 2) == NH_KIND_EMPTY);
	ok(nh_kind_detect("", 0) == NH_KIND_EMPTY);
	ok(nh_kind_detect("{\"case\":\"a\"", 11) == NH_KIND_CASE);
	ok(nh_kind_detect("node1: {\"n\":0, \"case\" :", 23) == NH_KIND_CASE);
	ok(nh_kind_detect("banner\nnode1: {\"case\":", 22) == NH_KIND_CASE);
	ok(nh_kind_detect("{\"version\": \"2.5\"}", 18) == NH_KIND_UNKNOWN);
	ok(nh_kind_detect("{\"x\":\"case\"}", 12) == NH_KIND_UNKNOWN);
	ok(nh_kind_detect("text", 4) == NH_KIND_UNKNOWN);
}

int main(void)
{
	interleaved();
	lost_cut_and_twice();
	wrong_types();
	other_lines();
	many_errors();
	bad_bytes();
	long_line();
	two_sources();
	kinds();
	nh_arena_free(&arena);
	return done();
}
