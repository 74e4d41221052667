#include "tap.h"
#include "verdict.h"

#include <stdlib.h>
#include "report/cells.h"
#include "report/report.h"

static char *text(const struct nh_case *c, const struct nh_report_opts *opts)
{
	struct nh_case *cases[] = { (struct nh_case *)c, (struct nh_case *)c };
	char *buf = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&buf, &len);

	nh_report_text(f, c, cases, 1, opts);
	fclose(f);
	return buf;
}

/* Whether a line is exactly that. */
static int has_line(const char *s, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = s; (p = strstr(p, line)); p++)
		if ((p == s || p[-1] == '\n') && p[n] == '\n')
			return 1;
	printf("# no line \"%s\"\n", line);
	return 0;
}

/* The widest line that is no command, and the lines that end in a blank. */
static size_t widest(const char *s, size_t *trailing)
{
	size_t most = 0;

	*trailing = 0;
	while (*s) {
		size_t n = strcspn(s, "\n"), cells = nh_cells(s, n);

		*trailing += n && s[n - 1] == ' ';
		if (cells > most && strncmp(s, "       ncclhang", 15) != 0)
			most = cells;
		s += n + (s[n] == '\n');
	}
	return most;
}

static void test_finding(const struct nh_case *c)
{
	struct nh_report_opts opts = { .width = 80 };
	char *s = text(c, &opts);
	size_t trailing;

	ok(!strncmp(s, "hang: nccl-teardown-held-socket (likely)\n", 41));
	ok(has_line(s, "  culprit     pid 4720 (data loader\\x1b[2J), fd 7 on gpu03"));
	ok(has_line(s, "What waits for what"));
	ok(has_line(s, "  thread 4711 (rank 0, python3)"));
	ok(has_line(s,
		"    | joins         futex 0x7f0123456990 holds 4713 = TID of the thread below"));
	ok(has_line(s, "    v"));
	ok(strstr(s, "\n    : connected to  the other end is ESTABLISHED"));
	ok(has_line(s, "  fd 7 of process 4720"));
	ok(strstr(s, "/very/long") && !strstr(s, "a/user/chose") && strstr(s, "/interpreter"));
	ok(has_line(
		s, "  held      the library lacks shutdown: libnccl.so.2.17.1 does not import it"));
	ok(has_line(s, "  inferred  the peer is gone"));
	ok(has_line(s, "  - a descriptor for inode 10 in process 4711"));
	ok(has_line(s, "  1. End the holder; its work is lost."));
	ok(has_line(s, "       kill 4720"));
	ok(has_line(s, "       ncclhang --output /a/very/long/directory/name/that/goes/on/and/on/"
		       "case.jsonl.zst 4711 4712"));
	ok(strstr(s, "  - pid 100, pid 101, pid 102, pid 103 and 5 more: descriptors:"));
	ok(has_line(s, "       sudo ncclhang 4711"));
	ok(strstr(s, "  - fork-inherited-lock: no thread"));
	ok(strstr(s, "; 4 more\n"));
	ok(!strchr(s, '\033'));
	ok(widest(s, &trailing) <= 80);
	ok(trailing == 0);
	free(s);
}

static void test_widths(const struct nh_case *c)
{
	size_t trailing;

	for (int width = 60; width <= 220; width += 20)
		for (int all = 0; all < 2; all++) {
			struct nh_report_opts opts = { .width = width, .all = all, .verbose = all };
			char *s = text(c, &opts);

			ok(widest(s, &trailing) <= (size_t)(width < 200 ? width : 200));
			ok(!all || strstr(s, "4721"));
			free(s);
		}
}

static void test_color(const struct nh_case *c)
{
	struct nh_report_opts opts = { .width = 80, .color = true };
	char *s = text(c, &opts);

	ok(!strncmp(s, "\033[1;31mhang: nccl-teardown-held-socket (likely)\033[0m\n", 52));
	ok(!strstr(s, "\033[2J"));
	free(s);
}

static void test_no_hang(const struct nh_case *c)
{
	struct nh_report_opts opts = { .width = 80 };
	char *s = text(c, &opts);

	ok(!strncmp(s, "no-hang\n\n", 9));
	ok(has_line(s, "Why nothing was convicted"));
	ok(!strstr(s, "culprit"));
	ok(strstr(s, "read     2 processes, 2 threads; 2 samples 1.0 s apart\n"));
	ok(strstr(s, "nothing: no process was attached to"));
	free(s);
}

/* Changes the case. */
static void test_many_findings(struct nh_case *c)
{
	struct nh_report_opts opts = { .width = 80 };
	char *s;

	for (int i = 0; i < 4; i++)
		sample_finding(c);
	s = text(c, &opts);
	ok(has_line(s, "also: nccl-teardown-held-socket (likely)"));
	ok(has_line(s, "Further findings (--all shows them in full)"));
	ok(strstr(s, "\n  - nccl-teardown-held-socket (likely): ncclCommAbort waits"));
	free(s);
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_case *hang = sample_case(&a, true), *quiet = sample_case(&a, false);

	test_finding(hang);
	test_widths(hang);
	test_color(hang);
	test_no_hang(quiet);
	test_many_findings(hang);
	nh_arena_free(&a);
	return done();
}
