#include "tap.h"
#include "case_fill.h"
#include "base/str.h"
#include "case/intake.h"

static struct nh_arena arena;

static struct nh_intake *read_text(const char *s)
{
	struct nh_intake *in = nh_intake_new(&arena);

	nh_intake_feed(in, "x.json", s, strlen(s));
	nh_intake_end_source(in, "x.json");
	nh_intake_finish(in);
	return in;
}

static size_t longest_line(const char *s)
{
	size_t most = 0;

	for (const char *nl; *s; s = nl + 1) {
		nl = strchrnul(s, '\n');
		if ((size_t)(nl + 1 - s) > most)
			most = (size_t)(nl + 1 - s);
		if (!*nl)
			break;
	}
	return most;
}

static size_t lines(const char *s)
{
	size_t n = 0;

	while ((s = strchr(s, '\n'))) {
		s++;
		n++;
	}
	return n;
}

static struct nh_case *empty_case(void)
{
	struct nh_case *c = nh_new(&arena, struct nh_case, 1);

	nh_row_init(&nh_case_header_type, c);
	c->arena = &arena;
	c->id = nh_case_new_id(&arena);
	c->host = "node1";
	return c;
}

static void round_trip(void)
{
	struct nh_case *c = fill_case(&arena, "0123456789abcdef");
	char *text = case_text(&arena, c), *again;
	struct nh_intake *in = read_text(text);

	ok(nh_starts_with(text, "{\"case\":\"0123456789abcdef\",\"n\":0,\"schema\":1,\"tool\":"));
	ok(strstr(text, "\"end\":true}\n"));
	ok(strstr(text, "\"sp\":\"0xffffffffff6"));
	ok(lines(text) == 3);
	is(nh_intake_error(in, 0), NULL);
	ok(nh_intake_count(in) == 1);
	ok(nh_intake_complete(in, 0));
	again = case_text(&arena, nh_intake_case(in, 0));
	is(again, text);
}

static void empty_round_trip(void)
{
	struct nh_case *c = empty_case();
	char *text = case_text(&arena, c);
	struct nh_intake *in = read_text(text);

	ok(strlen(c->id) == 16 && strspn(c->id, "0123456789abcdef") == 16);
	ok(strstr(text, "\"n\":0,\"host\":\"node1\",\"verdict\":{}}\n"));
	ok(nh_intake_complete(in, 0));
	ok(nh_intake_case(in, 0)->schema == NH_UNKNOWN);
	ok(nh_intake_case(in, 0)->gaps.n == 0);
	is(case_text(&arena, nh_intake_case(in, 0)), text);
}

/* Thousands of rows fill the lines, and none is too long. */
static void many_rows(void)
{
	struct nh_case *c = empty_case();
	struct nh_intake *in;
	char *text;

	for (int i = 0; i < 20000; i++) {
		struct nh_fd *fd = nh_case_row(c, fd, fds);

		fd->pid = 4711;
		fd->fd = i;
		fd->path = nh_arena_printf(&arena, "/data/%*d", i % 300, i);
	}
	text = case_text(&arena, c);
	ok(longest_line(text) <= NH_LINE_MAX);
	ok(strlen(text) / (lines(text) - 3) > NH_LINE_MAX * 95 / 100);
	in = read_text(text);
	ok(nh_intake_complete(in, 0));
	ok(nh_intake_case(in, 0)->fds.n == 20000);
	ok(nh_intake_case(in, 0)->fds.v[19999].fd == 19999);
	is(case_text(&arena, nh_intake_case(in, 0)), text);
}

static void long_verdict(void)
{
	struct nh_case *c = empty_case();
	struct nh_finding *f =
		nh_row_push(&arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);
	struct nh_intake *in;
	char *text;

	f->id = "collective-wait";
	for (int i = 0; i < 20000; i++) {
		struct nh_actor *v = nh_push(&arena, &f->victims);

		v->pid = i;
		v->rank = v->tid = v->start = v->fd = NH_UNKNOWN;
		v->host = "node1";
	}
	for (int i = 0; i < 5000; i++)
		*nh_push(&arena, &f->evidence) = "thread 4711 waits in the same collective";
	for (int i = 0; i < 3000; i++)
		nh_push(&arena, &f->chain)->fact = "thread 4711 waits for thread 4712";
	for (int i = 0; i < 3000; i++)
		nh_push(&arena, &c->gaps)->subject = "pid 4711 or another one of this long list";
	text = case_text(&arena, c);
	ok(longest_line(text) <= NH_LINE_MAX);
	ok(f->victims.n == 20000);
	in = read_text(text);
	is(nh_intake_error(in, 0), NULL);
	ok(nh_intake_complete(in, 0));
	c = nh_intake_case(in, 0);
	f = c->verdict.findings.v;
	ok(f->victims_total == 20000);
	ok(f->victims.n > 8 && f->victims.n < 2000);
	ok(f->evidence.n > 8);
	ok(nh_ends_with(f->evidence.v[f->evidence.n - 1], " more"));
	ok(nh_ends_with(f->chain.v[f->chain.n - 1].fact, " more"));
	ok(c->gaps.n == 3000);
}

/* One row over the limit: words are cut, and a cut list leaves a gap. */
static void long_row(void)
{
	struct nh_case *c = empty_case();
	struct nh_process *p = nh_case_row(c, process, processes);
	struct nh_thread *t = nh_case_row(c, thread, threads);
	char *word = nh_new(&arena, char, 200001);
	struct nh_intake *in;
	char *text;

	for (int i = 0; i < 200000; i += 2)
		memcpy(word + i, "\xc3\xa4", 2);
	p->pid = 4711;
	p->cmdline = word;
	for (int i = 0; i < 100000; i++) {
		nh_push(&arena, &t->waits)->slot = i;
	}
	text = case_text(&arena, c);
	ok(longest_line(text) <= NH_LINE_MAX);
	in = read_text(text);
	is(nh_intake_error(in, 0), NULL);
	c = nh_intake_case(in, 0);
	p = c->processes.v;
	ok(p->pid == 4711);
	ok(nh_ends_with(p->cmdline, "\xc3\xa4\xe2\x80\xa6"));
	ok(strlen(p->cmdline) > 10000);
	ok(c->threads.v[0].waits.n > 500);
	ok(c->gaps.n == 1 && c->gaps.v[0].needed);
	is(c->gaps.v[0].subject, "threads");
}

/* Whatever a verdict holds, its line fits. */
static void absurd_verdict(void)
{
	struct nh_case *c = empty_case();
	char *word = nh_new(&arena, char, 10001);
	char *text;

	memset(word, '\x01', 10000);
	c->host = c->tool = c->kernel = c->id = word;
	for (int i = 0; i < 100; i++) {
		struct nh_finding *f = nh_row_push(
			&arena, &nh_finding_type, (struct nh_vec *)&c->verdict.findings);

		f->title = f->id = word;
		*nh_push(&arena, &f->unknown) = word;
	}
	text = case_text(&arena, c);
	ok(longest_line(text) <= NH_LINE_MAX);
	ok(nh_intake_complete(read_text(text), 0));
}

static int failing(void *ctx, const char *buf, size_t n)
{
	return -28;
}

static void sink_fails(void)
{
	ok(nh_case_write(empty_case(), (struct nh_sink){ failing, NULL }) == -28);
}

int main(void)
{
	round_trip();
	empty_round_trip();
	many_rows();
	long_verdict();
	long_row();
	absurd_verdict();
	sink_fails();
	nh_arena_free(&arena);
	return done();
}
