#include "tap.h"
#include "verdict.h"

#include <stdlib.h>
#include "report/report.h"

static char *markdown(const struct nh_case *c, bool all)
{
	struct nh_report_opts opts = { .width = 80, .all = all };
	struct nh_case *cases[] = { (struct nh_case *)c };
	char *buf = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&buf, &len);

	nh_report_markdown(f, c, cases, 1, &opts);
	fclose(f);
	return buf;
}

static size_t count(const char *s, const char *what)
{
	size_t n = 0;

	for (; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

static void test_finding(const struct nh_case *c)
{
	char *s = markdown(c, false);

	ok(!strncmp(s, "## hang: nccl-teardown-held-socket (likely)\n", 44));
	ok(strstr(s, "- **culprit**: pid 4720 (data loader\\\\x1b\\[2J), fd 7 on gpu03\n"));
	ok(strstr(s, "```mermaid\nflowchart TD\n  n0[\"thread 4711 (rank 0, python3)\"]\n"));
	ok(strstr(s, "  n0 -->|\"joins\"| n1\n"));
	ok(strstr(s, "  n2 -.->|\"connected to\"| n3\n"));
	ok(strstr(s, "  class n3 culprit\n"));
	ok(strstr(s, "| thread 4711 (rank 0, python3) | joins | "));
	ok(strstr(s, "1. End the holder; its work is lost.\n   ```sh\n   kill 4720\n   ```\n2. "));
	ok(strstr(s, "<details>\n<summary>Ruled out</summary>\n\n- fork-inherited-lock"));
	ok(count(s, "<details>") == 5);
	ok(count(s, "</details>") == 5);
	ok(count(s, "```") % 2 == 0);
	ok(!strstr(s, "Left out"));
	free(s);
}

/* Names that would mention somebody, link, open a tag or end a fence or a cell. */
static void test_hostile(struct nh_case *c)
{
	struct nh_finding *f = c->verdict.findings.v;
	char *s;

	f->title = "<img src=x> @team fixes #12 at https://evil.example and www.evil.example "
		   "*b* a_b _c_ `d` [e](f) $x$ | g &lt;";
	f->chain.v[0].from = "x\"]; %%{init: {}}%% <b> `y`";
	f->remedy.v[0].command = "echo ```` | cat";
	c->host = "<script>";
	s = markdown(c, false);
	ok(strstr(s,
		"&lt;img src=x> @&#8203;team fixes #&#8203;12 at https:&#8203;//evil.example and "
		"www&#8203;.evil.example \\*b\\* a_b \\_c\\_ \\`d\\` \\[e\\](f) \\$x\\$ \\| g "
		"&amp;lt;\n"));
	ok(strstr(s, "n0[\"x#34;#93;#59; #37;#37;#123;init: #123;#125;#125;#37;#37; #60;b#62; "
		     "#96;y#96;\"]"));
	ok(strstr(s, "   `````sh\n   echo ```` | cat\n   `````\n"));
	ok(strstr(s, "<summary>Threads on &lt;script></summary>"));
	ok(!strstr(s, "<script>") && !strstr(s, "<img"));
	free(s);
}

static void test_ticket_limit(struct nh_case *c)
{
	char *s, *all;

	for (int i = 0; i < 5000; i++) {
		struct nh_thread *t = nh_case_row(c, thread, threads);

		t->sample = 2;
		t->pid = 4711;
		t->tid = 10000 + i;
		t->comm = "worker";
	}
	s = markdown(c, false);
	all = markdown(c, true);
	ok(strlen(s) <= 60000 && strlen(s) > 50000);
	ok(strstr(s, "\n</details>\n\nLeft out, to stay under 60 KB: "));
	ok(count(s, "<details>") == count(s, "</details>"));
	ok(strlen(all) > 60000 && strstr(all, "| 14999 |") && !strstr(all, "Left out"));
	ok(strstr(s, "How this was found out"));
	free(s);
	free(all);
}

int main(void)
{
	struct nh_arena a = { 0 };
	struct nh_case *hang = sample_case(&a, true);

	test_finding(hang);
	test_ticket_limit(sample_case(&a, false));
	test_hostile(hang);
	nh_arena_free(&a);
	return done();
}
