/* One dump → rows: names, versions, what is kept, steps. */
#include "tap.h"
#include <stdlib.h>
#include "base/str.h"
#include "evidence/flight.h"

static struct nh_arena arena;

static struct nh_case *read_text(const char *name, const char *text, struct nh_err *err)
{
	struct nh_case *c = nh_new(&arena, struct nh_case, 1);
	struct nh_flight *f;

	c->arena = &arena;
	f = nh_flight_new(c);
	err->msg[0] = '\0';
	nh_flight_read(f, name, text, strlen(text), err);
	nh_flight_free(f);
	return c;
}

static void names(void)
{
	ok(nh_flight_rank("/tmp/nccl_trace_rank_0") == 0);
	ok(nh_flight_rank("nccl_trace_rank_container-node02_5") == 5);
	ok(nh_flight_rank("x_dump_12.json") == 12);
	ok(nh_flight_rank("x_dump_12.pkl.zst") == 12);
	ok(nh_flight_rank("comm_lib_trace_rank_1023") == 1023);
	ok(nh_flight_rank("/rank_7/dump") < 0);
	ok(nh_flight_rank("") < 0);
	ok(nh_flight_rank("t_20261129213344") < 0);
	ok(nh_flight_is("{\"pg_config\":{}}", 16));
	ok(!nh_flight_is("{\"other\":{}}", 12));
	ok(!nh_flight_is("", 0));
	ok(nh_flight_is("\x80\x02}(X\x09\x00\x00\x00pg_config", 18));
	ok(!nh_flight_is("\x80\x02"
			 "ctorch._utils\nx\n",
		17));
}

static void json(void)
{
	struct nh_err err;
	struct nh_case *c = read_text("d/rank_3.json",
		"{\"version\":\"2.10\",\"pg_config\":{\"7\":{\"name\":\"7\",\"desc\":\"dp\",\"ranks\":\"[1, 3]\"}},"
		"\"pg_status\":{\"4\":{\"last_enqueued_collective\":\"9\",\"last_started_collective\":\"-1\","
		"\"last_completed_collective\":\"8\"}},\"entries\":[{\"record_id\":0,\"pg_id\":4,"
		"\"process_group\":[\"7\",\"dp\"],\"collective_seq_id\":9,\"p2p_seq_id\":0,\"op_id\":9,"
		"\"profiling_name\":\"nccl:all_gather\",\"time_created_ns\":5000000000,"
		"\"input_sizes\":[[2,3],[4]],\"input_dtypes\":[\"Float\",\"Half\"],\"output_sizes\":[],"
		"\"output_dtypes\":[],\"state\":\"scheduled\",\"time_discovered_started_ns\":0,"
		"\"time_discovered_completed_ns\":0,\"retired\":false,\"timeout_ms\":600000,"
		"\"is_p2p\":false}]}",
		&err);
	const struct nh_rank_group *g = c->rank_groups.v;
	const struct nh_collective *e = c->collectives.v;

	is(err.msg, "");
	if (!ok(c->rank_groups.n == 1 && c->collectives.n == 1))
		return;
	ok(g->rank == 3 && g->pg_id == 4 && g->enqueued == 9 && g->completed == 8);
	ok(g->members.n == 2 && g->members.v[1] == 3 && !g->members_guessed && !g->timing);
	is(g->group, "7");
	is(g->desc, "dp");
	is(e->op, "all_gather");
	is(e->in_sizes, "[2, 3], [4]");
	is(e->in_dtypes, "Float, Half");
	ok(e->in_numel == 10 && e->out_numel == 0 && e->state == NH_WORK_SCHEDULED);
	ok(e->started_ns == NH_UNKNOWN && !e->done && e->frame == NULL);
}

static void damage(void)
{
	struct nh_err err;
	struct nh_case *c = read_text("rank_1", "{\"pg_config\":", &err);

	ok(strstr(err.msg, "rank_1: flight-recorder dump of rank 1: not valid JSON"));
	ok(c->rank_groups.n == 1 && c->rank_groups.v->damaged && c->gaps.n == 1);
	c = read_text("rank_1", "{\"version\":\"2.10\",\"entries\":[1,2]}", &err);
	ok(strstr(err.msg, "its entries are not operations"));
	c = read_text(
		"rank_1", "{\"pg_config\":[[[[[[[[[[[[]]]]]]]]]]]],\"version\":\"2.10\"}", &err);
	is(err.msg, "");
	ok(c->rank_groups.n == 1 && c->rank_groups.v->off && !c->rank_groups.v->group);
	c = read_text("rank_1",
		"{\"version\":\"2.10\",\"pg_status\":{\"0\":{\"last_enqueued_collective\":3}},\"entries\":"
		"[{\"pg_id\":0,\"profiling_name\":\"nccl:all_reduce\",\"collective_seq_id\":4096}]}",
		&err);
	ok(strstr(err.msg, "contradicts itself"));
	c = read_text("dump", "{\"pg_config\":{}}", &err);
	ok(strstr(err.msg, "nccl_trace_rank_3") && !c->rank_groups.n);
}

/* A job of two collectives a step, the last of them open; list-shaped, as before 2024. */
static void kept(void)
{
	const char *text = "[";
	struct nh_err err;
	struct nh_case *c;

	for (int i = 0; i < 400; i++)
		text = nh_arena_printf(&arena,
			"%s%s{\"record_id\":%d,\"pg_id\":0,\"seq_id\":%d,\"profiling_name\":\"nccl:%s\","
			"\"state\":\"%s\",\"time_created_ns\":%d,\"duration_ms\":2.5}",
			text, i ? "," : "", i, i + 1, i % 2 ? "all_reduce" : "all_gather",
			i < 340 ? "completed" : "scheduled", i + 1);
	c = read_text("rank_0", nh_arena_printf(&arena, "%s]", text), &err);
	is(err.msg, "");
	if (!ok(c->rank_groups.n == 1))
		return;
	is(c->rank_groups.v->group, "0");
	ok(c->rank_groups.v->first == 1 && c->rank_groups.v->last == 400);
	ok(c->collectives.n == NH_KEPT_DONE + NH_KEPT_OPEN + 1);
	ok(c->collectives.v[0].seq == 333 && c->collectives.v[NH_KEPT_DONE].seq == 341);
	ok(c->collectives.v[c->collectives.n - 1].seq == 400);
	ok(c->step_waits.n == NH_KEPT_STEPS && c->step_waits.v[0].wait_us == 5000);
}

int main(void)
{
	names();
	json();
	damage();
	kept();
	nh_arena_free(&arena);
	return done();
}
