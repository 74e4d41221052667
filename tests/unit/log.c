/* Lines of logs → rows: prefixes, times, events, numbers, what is kept. */
#include "tap.h"
#include <stdlib.h>
#include "evidence/log_line.h"
#include "know/log_lines.h"

static struct nh_arena arena;

static struct nh_case *read_text(const char *path, const char *text, size_t piece)
{
	struct nh_case *c = nh_new(&arena, struct nh_case, 1);
	size_t n = strlen(text);
	struct nh_log *l;

	c->arena = &arena;
	l = nh_log_new(c);
	nh_log_begin(l, path);
	for (size_t i = 0; i < n; i += piece)
		nh_log_feed(l, text + i, n - i < piece ? n - i : piece);
	nh_log_end(l);
	nh_log_free(l);
	return c;
}

static struct nh_log_head head(const char *s)
{
	struct nh_log_head h;

	nh_log_head(s, strlen(s), &h);
	return h;
}

static void prefixes(void)
{
	struct nh_log_head h =
		head("[default1]:[rank3]:[E1129 03:23:05.5 a.cpp:6] [PG ID 0 PG GUID "
		     "0(default_pg) Rank 2]  x");

	ok(h.role_rank == 1 && h.rank == 3 && h.group_rank == 2 && h.clock == NH_CLOCK_DAY);
	ok(h.at_ms % 86400000 == ((3 * 60 + 23) * 60 + 5) * 1000 + 500);
	is(h.body, "x");
	h = head("[rank3]:   File \"x\"");
	is(h.body, "  File \"x\"");
	h = head("2026-11-29_19:15:20 y");
	ok(h.clock == NH_CLOCK_DATE && h.at_ms == 1795979720000 && !h.known);
	h = head("\x1b[31m[2026-11-29T19:15:20.123Z] y");
	ok(h.at_ms == 1795979720123);
	h = head("E1129 19:15:20.100000 4560 torch/distributed/elastic/api.py:874] failed");
	is(h.body, "failed");
	h = head("[foo1]: http://example.org");
	ok(!h.known && h.rank == NH_UNKNOWN && h.role_rank == NH_UNKNOWN);
	h = head("[rank-1]: x");
	ok(h.rank == NH_UNKNOWN);
	h = head("[rank99999999999999999999]: x");
	ok(h.rank == NH_UNKNOWN);
	h = head("03: [rank4]: x");
	ok(h.label == 3 && h.rank == 4);
	is(h.body, "x");
	h = head(" 7:");
	ok(h.label == 7 && h.n == 0);
	ok(head("7:30 x").label == NH_UNKNOWN && head("-7: x").label == NH_UNKNOWN);
	ok(head("12345678: x").label == NH_UNKNOWN && head("      ").label == NH_UNKNOWN);
	h = head("");
	ok(h.n == 0 && !h.known);
}

static void paths(void)
{
	ok(nh_log_path_rank("/l/none_x/attempt_0/3/stderr.log") == 3);
	ok(nh_log_path_rank("attempt_12/7/error.json") == 7);
	ok(nh_log_path_rank("/l/attempt_0/stderr.log") == NH_UNKNOWN);
	ok(nh_log_path_rank("/l/rank_12.log") == 12);
	ok(nh_log_path_rank("/rank_12/train.log") == NH_UNKNOWN);
	ok(nh_log_in_tree("/l/attempt_0/3/stdout.log"));
	ok(!nh_log_in_tree("/l/attempt_0/3/other"));
	ok(!nh_log_in_tree("stdout.log"));
}

static void kinds(void)
{
	static const char prose[] = "It prints Watchdog caught collective operation timeout.";
	static const char program[] = "    if 'CUDA out of memory. Tried to allocate' in str(e):";

	ok(!nh_log_is(prose, strlen(prose)));
	ok(!nh_log_is(program, strlen(program)));
	ok(!nh_log_is("", 0));
	ok(nh_log_is("x\n[rank0]: y", 12));
	ok(nh_log_is("rank=1 step=2 wait_ms=3", 23));
	ok(nh_log_is("Traceback (most recent call last):", 34));
	ok(nh_log_is("{\"message\": {\"extraInfo\": 1}}", 29));
	ok(!nh_log_is("{\"message\": 1}", 14));
}

static void events(void)
{
	static const char text[] =
		"[rank1]: Traceback (most recent call last):\r\n"
		"[rank1]:   raise RuntimeError(\"CUDA out of memory. Tried to allocate 2.00 GiB\")\n"
		"[rank0]:[E1129 03:23:05.1 a.cpp:6] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=81, OpType=ALLREDUCE, Timeout(ms)=600000)\n"
		"[rank1]: app.Wrong: password=hunter2 \xff\n"
		"W1 Sending process 4566 closing signal SIGTERM\n"
		"[rank2]: \t - To our best knowledge, ranks [2, 5] are the lagging ranks that caused "
		"this timeout";

	for (size_t piece = 1; piece < 400; piece += 57) {
		const struct nh_case *c = read_text("x.log", text, piece);
		const struct nh_log_event *e = c->log_events.v;

		if (!ok(c->log_events.n == 3 && c->log_files.v->lines == 6))
			return;
		ok(e[0].kind == NH_LOG_TIMEOUT && e[0].rank == 0 && e[0].line == 3);
		ok(e[0].seq == 81 && e[0].timeout_ms == 600000 && !strcmp(e[0].op, "ALLREDUCE"));
		ok(e[1].kind == NH_LOG_EXCEPTION && e[1].rank == 1);
		is(e[1].text, "app.Wrong: password=*** \xef\xbf\xbd");
		ok(e[2].kind == NH_LOG_CLOSING && e[2].pid == 4566);
	}
}

static void named(void)
{
	const struct nh_case *c = read_text("x",
		"[rank2]:[E1129 03:23:05.1 a.cpp:6] \t - To our best knowledge, ranks [2, 5] are the "
		"lagging ranks that caused this timeout\n"
		"[Rank 0]: Ranks 3, 1 failed to pass monitoredBarrier in 30000 ms\n",
		4096);
	const struct nh_log_event *e = c->log_events.v;

	if (ok(c->log_events.n == 2 && e[0].named.n == 2 && e[1].named.n == 2))
		ok(e[0].named.v[1] == 5 && e[1].named.v[0] == 3 && e[1].named.v[1] == 1);
}

static void metrics(void)
{
	struct nh_log_step t;
	const struct nh_rank_metric *m = &t.metric;

	ok(nh_log_metrics("rank=3 step=12 wait_ms=1.5 peak_gib=2 loss=nan", 46, &t));
	ok(m->rank == 3 && m->step == 12 && m->wait_us == 1500 && m->peak_bytes == 2LL << 30);
	ok(nh_log_metrics("I {\"step\": 7, \"RANK\": 1, \"compute_s\": 0.5} x", 44, &t));
	ok(m->rank == 1 && m->step == 7 && m->compute_us == 500000 && m->wait_us == NH_UNKNOWN);
	ok(!nh_log_metrics("step=7", 6, &t));
	ok(!nh_log_metrics("step=7 loss=2.5", 15, &t));
	ok(!nh_log_metrics("rank=-1 step=7 wait_ms=1", 24, &t));
	ok(!nh_log_metrics("step=7 wait_ms=1e300", 20, &t));
	ok(!nh_log_metrics("footstep=7 wait_ms=1", 20, &t));
	ok(nh_log_metrics("ckpt_every=500 MTBF_H=24", 24, &t) && t.save.every == 500);
	ok(t.save.mtbf_us == 86400000000 && t.metric.step == NH_UNKNOWN);
	ok(nh_log_metrics("step=3 step_s=0.5", 17, &t) && t.save.step_us == 500000);
	ok(!nh_log_metrics("step_s=0.5 mtbf_h=-1", 20, &t));
	ok(nh_log_metrics("host=gpu-03.x, step=3 wait_s=1", 30, &t));
	is(t.host, "gpu-03.x");
	ok(nh_log_metrics("{\"hostname\":\"a b\",\"step\":3,\"wait_s\":1}", 38, &t));
	is(t.host, "a");
}

/* Many events and steps: the first and the last of them. */
static void kept(void)
{
	const char *text = "";
	const struct nh_case *c;

	for (int i = 0; i < 200; i++)
		text = nh_arena_printf(
			&arena, "%srank=1 step=%d wait_ms=1\n[rank0]: x NCCL WARN y\n", text, i);
	c = read_text("x", text, 1 << 20);
	ok(c->log_events.n == NH_KEPT_EVENTS && c->log_events.v[1].line == 4);
	ok(c->rank_metrics.n == NH_KEPT_METRICS && c->rank_metrics.v[0].step == 72);
	ok(c->log_files.n == 1 && c->log_files.v->ranks.n == 2);
	text = nh_arena_printf(&arena, "[rank0]: %0*d\n[rank0]: CUDA error: x\n", 100000, 7);
	c = read_text("x", text, 1000);
	ok(c->log_files.v->cut == 1 && c->log_files.v->lines == 2 && c->log_events.n == 1);
}

int main(void)
{
	prefixes();
	paths();
	kinds();
	events();
	named();
	metrics();
	kept();
	nh_arena_free(&arena);
	return done();
}
