/* What the versions, roles and RAS answers of a case become in words. */
#include "tap.h"

#include "rules/nccl_ras.h"
#include "rules/nccl_role.h"
#include "rules/nccl_version.h"

struct scene {
	struct nh_arena a;
	struct nh_case c;
	struct nh_graph g;
	struct nh_finding f;
};

static void begin(struct scene *s)
{
	memset(s, 0, sizeof(*s));
	s->c.arena = &s->a;
	s->c.machine = "x86_64";
	nh_row_init(&nh_finding_type, &s->f);
}

static void end(struct scene *s)
{
	nh_arena_free(&s->a);
}

static struct nh_module *map(struct scene *s, const char *path, const char *version, int from)
{
	struct nh_module *m = nh_case_row(&s->c, module, modules);

	m->pid = 7;
	m->path = path;
	m->nccl = version;
	m->nccl_from = from;
	return m;
}

static struct nh_thread *thread(struct scene *s, int64_t tid, const char *module)
{
	struct nh_stack *stack = nh_case_row(&s->c, stack, stacks);
	struct nh_thread *t = nh_case_row(&s->c, thread, threads);

	stack->stack = (int64_t)s->c.stacks.n;
	*nh_push(&s->a, &stack->frames) = (struct nh_frame){ .module = "libc.so.6" };
	*nh_push(&s->a, &stack->frames) = (struct nh_frame){ .module = module };
	t->sample = 1;
	t->pid = 7;
	t->tid = tid;
	t->stack = stack->stack;
	return t;
}

static bool tells(const struct scene *s, const char *words)
{
	for (size_t i = 0; i < s->f.evidence.n; i++)
		if (strstr(s->f.evidence.v[i], words))
			return true;
	for (size_t i = 0; i < s->f.evidence.n; i++)
		printf("# %s\n", s->f.evidence.v[i]);
	return false;
}

/* What is told of a teardown that waits for a held socket, for one version. */
static void held(struct scene *s, const char *version, int imports)
{
	begin(s);
	map(s, "/usr/lib/libnccl.so.2", version, NH_NCCL_FROM_CODE)->imports_shutdown = imports;
	nh_graph_build(&s->a, &s->c, 1, &s->g);
	nh_nccl_tell_held(&s->a, &s->g, 7, &s->f);
}

static void test_held(void)
{
	struct scene s;

	held(&s, "2.17.1", NH_NO);
	ok(tells(&s, "pid 7 uses NCCL 2.17.1 (ncclGetVersion of libnccl.so.2; does not import "
		     "shutdown)"));
	ok(tells(&s, "one of 2.16.2 to 2.17.1") && tells(&s, "NCCL #863"));
	end(&s);
	held(&s, "2.17.1", NH_YES);
	ok(tells(&s, "this build imports shutdown"));
	end(&s);
	held(&s, "2.18.1", NH_YES);
	ok(tells(&s, "shutdown() before close(), which") && tells(&s, "evidently not executed"));
	end(&s);
	held(&s, "2.28.9", NH_YES);
	ok(tells(&s, "sends a Close message before it"));
	end(&s);
	held(&s, "2.28.9", NH_NO);
	ok(tells(&s, "this build lacks the fix"));
	end(&s);
	held(&s, "2.14.3", NH_NO);
	ok(tells(&s, "abort flag; what was read"));
	end(&s);
	held(&s, "2.10.3", NH_NO);
	ok(tells(&s, "no service thread in it; what was read"));
	end(&s);
	held(&s, "2.4.8", 0);
	ok(s.f.evidence.n == 1);
	end(&s);
	held(&s, NULL, 0);
	ok(!s.f.evidence.n && s.f.unknown.n == 1);
	end(&s);
}

static void test_known(void)
{
	struct scene s;

	begin(&s);
	map(&s, "/x/libnccl.so.2.24.3", "2.24.3", NH_NCCL_FROM_NAME);
	nh_graph_build(&s.a, &s.c, 1, &s.g);
	nh_nccl_tell_known(&s.a, &s.g, 7, &s.f);
	ok(tells(&s, "name of the file libnccl.so.2.24.3)"));
	ok(tells(&s, "its threads can be: progress, service, UDS, RAS (source: tag v2.24.3-1)"));
	ok(tells(&s, "it polls 65 slots, 500 ms at a time; a job thread (ncclAsyncJobMain) joins "
		     "it"));
	ok(tells(&s, "does not look at the abort flag") && tells(&s, "PyTorch #149153"));
	ok(tells(&s, "mended in 2.26.2"));
	end(&s);
}

/* The one that the stacks lie in; a marker only where it means something. */
static void test_several(void)
{
	struct scene s;

	begin(&s);
	map(&s, "/a/libnccl.so.2", "2.29.7", NH_NCCL_FROM_CODE)->imports_shutdown = NH_YES;
	map(&s, "/b/libtorch_cuda.so", "2.17.1", NH_NCCL_FROM_STRING)->imports_shutdown = NH_YES;
	map(&s, "/b/libother.so", NULL, 0);
	thread(&s, 8, "libtorch_cuda.so");
	thread(&s, 9, "libother.so");
	nh_graph_build(&s.a, &s.c, 1, &s.g);
	is(nh_nccl_module(&s.g, 7)->nccl, "2.17.1");
	is(nh_nccl_words(&s.a, &s.g, 7),
		"NCCL 2.17.1 (version string in libtorch_cuda.so); it also maps NCCL 2.29.7 "
		"(ncclGetVersion of libnccl.so.2; imports shutdown)");
	ok(!nh_nccl_module(&s.g, 6) && !nh_nccl_words(&s.a, &s.g, 6));
	end(&s);
}

static void test_role(void)
{
	uint64_t futex[] = { 0x1000, 0x109, 0, 0, 0, 0 };
	struct nh_thread *t;
	struct scene s;

	begin(&s);
	map(&s, "/a/libnccl.so.2", "2.22.3", NH_NCCL_FROM_CODE);
	t = thread(&s, 8, "libnccl.so.2");
	t->nr = 202;
	t->args.v = futex;
	t->args.n = t->args.cap = 6;
	nh_graph_build(&s.a, &s.c, 1, &s.g);
	ok(nh_nccl_role(&s.g, t) == NH_ROLE_PROGRESS);
	s.c.stacks.v[0].frames.v[1].module = "libcuda.so.1";
	ok(nh_nccl_role(&s.g, t) == NH_ROLE_NONE);
	end(&s);
}

static void say(struct scene *s, const char *address, const char *const *lines)
{
	for (int64_t i = 0; lines[i]; i++) {
		struct nh_ras *r = nh_case_row(&s->c, ras, ras);

		r->address = address;
		r->line = i;
		r->text = lines[i];
	}
}

static void test_ras(void)
{
	static const char *const good[] = { "Job summary", "===========", "  1", "", "Errors",
		"======", "", "Warnings", "========", NULL };
	static const char *const bad[] = { "Job summary", "===========", "Errors", "======", "",
		"#0-0 (cf26) INCOMPLETE", "  Missing communicator data from 1 rank",
		"  The missing rank: 21", "", "Warnings", "========", "TIMEOUT", "  Encountered 2",
		"More", "====", "no complaint", NULL };
	struct scene s;

	begin(&s);
	nh_nccl_tell_ras(&s.a, &s.c, &s.f);
	ok(!s.f.evidence.n);
	say(&s, "[::1]:28028", good);
	nh_nccl_tell_ras(&s.a, &s.c, &s.f);
	ok(s.f.evidence.n == 1 && tells(&s, "no errors and no warnings"));
	say(&s, "127.0.0.1:1", bad);
	s.f.evidence.n = 0;
	nh_nccl_tell_ras(&s.a, &s.c, &s.f);
	ok(s.f.evidence.n == 2);
	ok(tells(&s, "RAS at 127.0.0.1:1: #0-0 (cf26) INCOMPLETE: Missing communicator data from 1 "
		     "rank; The missing rank: 21"));
	ok(tells(&s, "RAS at 127.0.0.1:1: TIMEOUT: Encountered 2"));
	end(&s);
}

int main(void)
{
	test_held();
	test_known();
	test_several();
	test_role();
	test_ras();
	return done();
}
