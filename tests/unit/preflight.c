/* What decides whether a failure leaves evidence, and how it is told. */
#include <errno.h>
#include "know/evidence_env.h"
#include "analyse/analyse.h"
#include "preflight/preflight.h"
#include "tap.h"

static const struct nh_evidence_var *var(const char *topic)
{
	const struct nh_evidence_var *v = nh_evidence_vars;

	while (v->topic && strcmp(v->topic, topic) != 0)
		v++;
	return v;
}

static void test_values(void)
{
	const struct nh_evidence_var *buffer = var("flight recorder"), *log = var("NCCL log");
	const struct nh_evidence_var *pipe = var("dump on request");

	ok(nh_evidence_is_on(buffer, "2000") && nh_evidence_is_on(buffer, "1"));
	ok(!nh_evidence_is_on(buffer, "0") && !nh_evidence_is_on(buffer, ""));
	ok(!nh_evidence_is_on(buffer, "False") && !nh_evidence_is_on(buffer, NULL));
	ok(nh_evidence_is_on(log, "WARN") && nh_evidence_is_on(log, "info"));
	ok(!nh_evidence_is_on(log, "VERSION") && !nh_evidence_is_on(log, "1"));
	ok(nh_evidence_is_on(pipe, "/tmp/x") && !nh_evidence_is_on(pipe, ""));
	for (const struct nh_evidence_var *v = nh_evidence_vars; v->topic; v++)
		ok(nh_evidence_is_on(v, v->want) && v->why && v->cost);
}

static void test_versions(void)
{
	ok(nh_torch_version_parse("2.6.0+cu124") == 20600);
	ok(nh_torch_version_parse("2.14.1.dist-info") == 21401);
	ok(nh_torch_version_parse("2.6") == 20600);
	ok(nh_torch_version_parse("two") == NH_UNKNOWN);
	ok(nh_torch_version_parse(NULL) == NH_UNKNOWN);
}

#define BLOCK(s) s, sizeof(s)

static void test_environ(void)
{
	static const char block[] = "AB=1\0A=2\0EMPTY=\0NOVALUE\0A=3";

	is(nh_environ_get(BLOCK(block), "A"), "2");
	is(nh_environ_get(BLOCK(block), "AB"), "1");
	is(nh_environ_get(BLOCK(block), "EMPTY"), "");
	is(nh_environ_get(BLOCK(block), "NOVALUE"), NULL);
	is(nh_environ_get("", 0, "A"), NULL);
}

static void test_prefixes(struct nh_arena *a)
{
	static const char home[] = "HOME=/h", cache[] = "HOME=/h\0XDG_CACHE_HOME=/c";
	static const char old[] = "TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/o/";
	static const char both[] =
		"TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/o/\0TORCH_FR_DUMP_TEMP_FILE=/n/";
	const char *p[NH_DUMP_PREFIXES];

	ok(nh_dump_prefixes(a, BLOCK(home), 20600, p) == 1);
	is(p[0], "/tmp/nccl_trace_rank_");
	ok(nh_dump_prefixes(a, BLOCK(home), 21401, p) == 1);
	is(p[0], "/h/.cache/torch/comm_lib_trace_rank_");
	ok(nh_dump_prefixes(a, BLOCK(cache), 21401, p) == 1);
	is(p[0], "/c/torch/comm_lib_trace_rank_");
	ok(nh_dump_prefixes(a, BLOCK(home), NH_UNKNOWN, p) == 2);
	is(p[1], "/tmp/nccl_trace_rank_");
	ok(nh_dump_prefixes(a, BLOCK(old), NH_UNKNOWN, p) == 1);
	is(p[0], "/o/");
	ok(nh_dump_prefixes(a, BLOCK(both), NH_UNKNOWN, p) == 2);
	is(p[0], "/n/");
	ok(nh_dump_prefixes(a, BLOCK(both), 20600, p) == 1);
	is(p[0], "/o/");
	ok(nh_dump_prefixes(a, "", 0, 21401, p) == 0);
}

static void test_poll(void)
{
	static const char beat[] = "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=30";
	static const char on[] = "TORCH_NCCL_DUMP_ON_TIMEOUT=1\0TORCH_NCCL_COORD_CHECK_MILSEC=250";

	ok(nh_dump_poll_ms("", 0) == 480000);
	ok(nh_dump_poll_ms(BLOCK(beat)) == 30000);
	ok(nh_dump_poll_ms(BLOCK(on)) == 250);
	ok(nh_dump_poll_ms(BLOCK("TORCH_DISTRIBUTED_DEBUG=DETAIL")) == 1000);
	ok(nh_dump_poll_ms(BLOCK("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=-1")) == 480000);
}

static void test_telling(struct nh_arena *a)
{
	struct nh_preflight p = { .a = a, .pid = 7, .subject = "pid 7" };
	struct nh_case c;

	*nh_push(a, &p.checks) = (struct nh_check){ NH_CHECK_FINE, "disk", "plenty", 0, 0, 0 };
	nh_preflight_case(&p, &c);
	ok(!nh_preflight_off(&p) && c.verdict.status == NH_NO_HANG && !c.verdict.findings.n);
	ok(c.verdict.ruled_out.n == 1 && c.asked.n == 1 && c.asked.v[0] == 7);
	*nh_push(a, &p.checks) = (struct nh_check){ NH_CHECK_OFF, "recorder", "X is unset", "none",
		"little", "export X=1" };
	*nh_push(a, &p.checks) = (struct nh_check){ NH_CHECK_UNKNOWN, "start", "?", 0, 0, 0 };
	nh_preflight_case(&p, &c);
	ok(nh_preflight_off(&p) && c.verdict.status == NH_PROBLEM && c.verdict.findings.n == 1);
	is(c.verdict.findings.v[0].id, "evidence-off");
	is(c.verdict.findings.v[0].evidence.v[0], "recorder: X is unset: none");
	is(c.verdict.findings.v[0].remedy.v[0].command, "export X=1");
	ok(c.verdict.findings.v[0].unknown.n == 1);
	nh_analyse(&c);
	ok(c.verdict.findings.n == 1 && c.checks.n == 3);
	is(c.verdict.findings.v[0].title,
		"pid 7: the next failure will leave too little evidence: 1 thing is off");
}

static void test_nobody(struct nh_arena *a)
{
	struct nh_preflight p;
	struct nh_err err;
	char *none[] = { NULL };

	ok(nh_preflight(a, INT32_MAX, none, &p, &err) == -ESRCH);
	is(err.msg, "pid 2147483647: no such process");
	ok(!nh_preflight(a, NH_UNKNOWN, none, &p, &err) && p.checks.n > 10);
}

int main(void)
{
	struct nh_arena a = { 0 };

	test_values();
	test_versions();
	test_environ();
	test_prefixes(&a);
	test_poll();
	test_telling(&a);
	test_nobody(&a);
	nh_arena_free(&a);
	return done();
}
