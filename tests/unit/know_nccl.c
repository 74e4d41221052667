#include "tap.h"

#include "know/nccl_env.h"
#include "know/nccl_roles.h"
#include "know/nccl_versions.h"

static void parsing(void)
{
	char buf[NH_NCCL_VERSION_TEXT];

	ok(nh_nccl_version_parse("2.17.1") == 21701);
	ok(nh_nccl_version_parse("2.30.3-1+cuda12.1") == 23003);
	ok(nh_nccl_version_parse("2.17") == NH_UNKNOWN);
	ok(nh_nccl_version_parse("2.171.1") == NH_UNKNOWN);
	ok(nh_nccl_version_parse("2.99999999999999999999.1") == NH_UNKNOWN);
	ok(nh_nccl_version_parse("") == NH_UNKNOWN && nh_nccl_version_parse(NULL) == NH_UNKNOWN);
	is(nh_nccl_version_text(22809, buf), "2.28.9");
	ok(nh_nccl_version_of_path("/usr/lib/libnccl.so.2.22.3") == 22203);
	ok(nh_nccl_version_of_path("libnccl.so.2.22.3") == 22203);
	ok(nh_nccl_version_of_path("/usr/lib/libnccl.so.2") == NH_UNKNOWN);
	ok(nh_nccl_version_of_path("/libnccl.so.2.22.3/libc.so.6") == NH_UNKNOWN);
	ok(nh_nccl_version_of_path(NULL) == NH_UNKNOWN);
}

/* The bytes of ncclGetVersion in 2.17.1, 2.18.1, 2.22.3, 2.28.9 and 2.29.7. */
static void code(void)
{
	static const int versions[] = { 21701, 21801, 22203, 22809, 22907 };
	unsigned char b[18] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x85, 0xff, 0x74, 0x09, 0xc7, 0x07, 0,
		0, 0, 0, 0x31, 0xc0, 0xc3 };

	for (size_t i = 0; i < 5; i++) {
		b[11] = (unsigned char)versions[i];
		b[12] = (unsigned char)(versions[i] >> 8);
		ok(nh_nccl_version_of_code(b, 18) == versions[i]);
		ok(nh_nccl_version_of_code(b + 4, 14) == versions[i]);
	}
	ok(nh_nccl_version_of_code(b, 17) == NH_UNKNOWN);
	ok(nh_nccl_version_of_code(b + 4, 13) == NH_UNKNOWN);
	ok(nh_nccl_version_of_code(b, 3) == NH_UNKNOWN &&
		nh_nccl_version_of_code(b, 0) == NH_UNKNOWN);
	b[11] = 2804 & 0xff;
	b[12] = 2804 >> 8;
	ok(nh_nccl_version_of_code(b, 18) == 20804);
	b[13] = 0x7f;
	ok(nh_nccl_version_of_code(b, 18) == NH_UNKNOWN);
	b[13] = 0;
	b[17] = 0x90;
	ok(nh_nccl_version_of_code(b, 18) == NH_UNKNOWN);
}

#define IN(literal) nh_nccl_version_of_strings(literal, sizeof(literal), cuda)

static void strings(void)
{
	char cuda[NH_NCCL_CUDA_TEXT] = "";

	ok(IN("abc\0NCCL version 2.17.1+cuda12.1\0def") == 21701);
	is(cuda, "12.1");
	ok(IN("NCCL version mismatch\0NCCL version 2.24.3 compiled with CUDA\0"
	      "NCCL version 2.24.3+cuda12.6") == 22403);
	is(cuda, "12.6");
	ok(IN("NCCL version 2.17.1.nv.7+cuda11.8") == 21701);
	ok(IN("NCCL version 2.17.1\0+cuda11.8") == NH_UNKNOWN);
	ok(IN("NCCL version 2.17.") == NH_UNKNOWN);
	/* It ends where the buffer does: the next one has it whole. */
	ok(nh_nccl_version_of_strings("NCCL version 2.17.1+cuda12.1", 28, cuda) == NH_UNKNOWN);
	ok(nh_nccl_version_of_strings("", 0, cuda) == NH_UNKNOWN);
}

static bool noted(int64_t version, enum nh_nccl_note_kind kind, const char *word)
{
	const struct nh_nccl_note *n = NULL;

	while ((n = nh_nccl_next_note(version, n)))
		if (n->kind == kind && strstr(n->text, word))
			return true;
	return false;
}

static void eras(void)
{
	static const struct {
		int version;
		enum nh_nccl_exit exit;
		int nfds;
		enum nh_nccl_close close;
		bool message;
		enum nh_nccl_join join;
	} rows[] = {
		{ 21003, NH_EXIT_NO_SERVICE, 0, NH_CLOSE_ONLY, false, NH_JOIN_CALLER },
		{ 21212, NH_EXIT_MESSAGE, 65, NH_CLOSE_ONLY, false, NH_JOIN_CALLER },
		{ 21505, NH_EXIT_FLAG, 65, NH_CLOSE_ONLY, false, NH_JOIN_CALLER },
		{ 21602, NH_EXIT_PEERS, 65, NH_CLOSE_ONLY, false, NH_JOIN_CALLER },
		{ 21701, NH_EXIT_PEERS, 65, NH_CLOSE_ONLY, false, NH_JOIN_CALLER },
		{ 21801, NH_EXIT_PEERS, 65, NH_CLOSE_SHUTDOWN, false, NH_JOIN_CALLER },
		{ 21903, NH_EXIT_PEERS, 65, NH_CLOSE_SHUTDOWN, false, NH_JOIN_DETACH },
		{ 21904, NH_EXIT_PEERS, 65, NH_CLOSE_SHUTDOWN, false, NH_JOIN_CALLER },
		{ 22105, NH_EXIT_PEERS, 65, NH_CLOSE_SHUTDOWN, false, NH_JOIN_CALLER },
		{ 22203, NH_EXIT_PEERS, 65, NH_CLOSE_SHUTDOWN, true, NH_JOIN_GROUP },
		{ 22403, NH_EXIT_PEERS_FORCED, 65, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB },
		{ 22602, NH_EXIT_PEERS_FORCED, 74, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB },
		{ 22705, NH_EXIT_PEERS_FORCED, 74, NH_CLOSE_SHUTDOWN, true, NH_JOIN_CALLER },
		{ 22707, NH_EXIT_PEERS_FORCED, 74, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB },
		{ 22809, NH_EXIT_PEERS_FORCED, 74, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB_IF_MANY },
		{ 23003, NH_EXIT_PEERS_FORCED, 74, NH_CLOSE_SHUTDOWN, true, NH_JOIN_JOB_IF_MANY },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct nh_nccl_era *e = nh_nccl_era(rows[i].version);

		printf("# %d\n", rows[i].version);
		ok(e && e->exit == rows[i].exit && e->nfds == rows[i].nfds &&
			e->close == rows[i].close && e->close_message == rows[i].message &&
			e->join == rows[i].join);
		ok(e && *nh_nccl_exit_words(e->exit) && *nh_nccl_join_words(e->join));
	}
	ok(!nh_nccl_era(20804) && !nh_nccl_era(NH_UNKNOWN));
	ok(nh_nccl_era(21603)->timeout_ms == 500 && nh_nccl_era(21212)->timeout_ms == -1);
	ok(!(nh_nccl_era(21701)->threads & NH_T_UDS) && nh_nccl_era(22005)->threads & NH_T_UDS);
	ok(nh_nccl_era(22403)->threads & NH_T_RAS && !(nh_nccl_era(22304)->threads & NH_T_RAS));
	ok(nh_nccl_era(22807)->threads & NH_T_GIN && !(nh_nccl_era(22803)->threads & NH_T_GIN));
}

static void notes(void)
{
	ok(noted(21701, NH_NOTE_REGRESSION, "duplicate of the descriptor"));
	ok(noted(21602, NH_NOTE_REGRESSION, "duplicate of the descriptor"));
	ok(!noted(21505, NH_NOTE_REGRESSION, "duplicate of the descriptor"));
	ok(!noted(21801, NH_NOTE_REGRESSION, "duplicate of the descriptor"));
	ok(noted(22501, NH_NOTE_REGRESSION, "progress thread"));
	ok(!noted(22203, NH_NOTE_REGRESSION, "progress thread"));
	ok(!noted(22602, NH_NOTE_REGRESSION, "progress thread"));
	ok(noted(22403, NH_NOTE_REGRESSION, "RAS query") &&
		noted(22602, NH_NOTE_REGRESSION, "RAS"));
	ok(!noted(22703, NH_NOTE_REGRESSION, "RAS query"));
	ok(noted(22501, NH_NOTE_FIX, "progress thread") && !noted(22602, NH_NOTE_FIX, "progress"));
	ok(!nh_nccl_next_note(NH_UNKNOWN, NULL));
}

static struct nh_wait poll_of(int64_t nfds, int64_t timeout_ms)
{
	return (struct nh_wait){ .kind = NH_WAIT_POLL, .nfds = nfds, .timeout_ms = timeout_ms };
}

static struct nh_wait futex_of(int64_t op)
{
	return (struct nh_wait){ .kind = NH_WAIT_FUTEX, .futex_op = op };
}

static void shapes(void)
{
	struct nh_wait w = poll_of(65, 500);
	struct nh_role_clues c = { .wait = &w, .last_listens = true };

	ok(nh_nccl_role_of(&c) == NH_ROLE_SERVICE);
	c.last_listens = false;
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	w = poll_of(1, 500);
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	c.first_unix = true;
	ok(nh_nccl_role_of(&c) == NH_ROLE_UDS);
	/* CUDA polls like this as well. */
	c.first_unix = false;
	w = poll_of(4, 1000);
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	c.in_nccl = true;
	ok(nh_nccl_role_of(&c) == NH_ROLE_RAS);
	w = poll_of(4, -1);
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	w = futex_of(0x109);
	ok(nh_nccl_role_of(&c) == NH_ROLE_PROGRESS);
	c.joins = true;
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	c.joins = false;
	w = futex_of(0x189);
	ok(nh_nccl_role_of(&c) == NH_ROLE_WORKER);
	c.in_nccl = false;
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	w = (struct nh_wait){ .kind = NH_WAIT_ACCEPT };
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	c.in_nccl = true;
	ok(nh_nccl_role_of(&c) == NH_ROLE_ROOT);
	w = (struct nh_wait){ .kind = NH_WAIT_READ };
	ok(nh_nccl_role_of(&c) == NH_ROLE_NONE);
	c.fd_path = "anon_inode:[infinibandevent]";
	ok(nh_nccl_role_of(&c) == NH_ROLE_IB_ASYNC);
	c.comm = "NCCL Sock";
	ok(nh_nccl_role_of(&c) == NH_ROLE_SOCKET_HELPER);
}

static void names(void)
{
	static const struct {
		const char *comm;
		enum nh_nccl_role role;
	} rows[] = {
		{ "NCCL Service  0", NH_ROLE_SERVICE },
		{ "NCCL UDS Servic", NH_ROLE_UDS },
		{ "NCCL Progress 1", NH_ROLE_PROGRESS },
		{ "NCCL RAS", NH_ROLE_RAS },
		{ "NCCL BootstrapR", NH_ROLE_ROOT },
		{ "NCCL IbAsync  3", NH_ROLE_IB_ASYNC },
		{ "NCCL SockS0 0 1", NH_ROLE_SOCKET_HELPER },
		{ "NCCL GIN Progre", NH_ROLE_GIN },
		{ "NCCL RMA Proxy ", NH_ROLE_RMA },
		{ "NCCL GrHelper 0", NH_ROLE_GRAPH_HELPER },
		{ "python", NH_ROLE_NONE },
	};
	struct nh_wait w = { .kind = NH_WAIT_UNKNOWN };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct nh_role_clues c = { .wait = &w, .comm = rows[i].comm };

		printf("# %s\n", rows[i].comm);
		ok(nh_nccl_role_of(&c) == rows[i].role);
	}
	for (int r = 0; r < NH_ROLES; r++)
		ok(nh_nccl_role_row((enum nh_nccl_role)r)->word);
	is(nh_nccl_role_row(NH_ROLES)->word, "thread");
}

static enum nh_nccl_role role_of_stack(const char *inner, const char *outer, bool nearest)
{
	struct nh_frame f[] = { { .func = inner }, { .func = outer, .nearest = nearest },
		{ .func = NULL }, { .func = "start_thread" } };
	struct nh_stack s = { .frames = { f, 4, 4 } };
	struct nh_wait w = { .kind = NH_WAIT_UNKNOWN };
	struct nh_role_clues c = { .wait = &w, .stack = &s };

	return nh_nccl_role_of(&c);
}

static void functions(void)
{
	ok(role_of_stack("poll", "ncclProxyService(void*)", false) == NH_ROLE_SERVICE);
	ok(role_of_stack("poll", "ncclProxyServiceUDS(void*)", false) == NH_ROLE_UDS);
	ok(role_of_stack("ncclProxyProgress", "ncclProxyService", false) == NH_ROLE_SERVICE);
	ok(role_of_stack("x", "persistentThread", false) == NH_ROLE_PROGRESS);
	ok(role_of_stack("x", "persistentSocketThread", false) == NH_ROLE_SOCKET_HELPER);
	ok(role_of_stack("x", "ncclAsyncJobMain", false) == NH_ROLE_JOB);
	ok(role_of_stack("x", "ncclProxyService", true) == NH_ROLE_NONE);
	ok(role_of_stack("x", "ncclProxy", false) == NH_ROLE_NONE);
	ok(role_of_stack("x", "", false) == NH_ROLE_NONE);
}

static void variables(void)
{
	const struct nh_nccl_var *v = nh_nccl_var("NCCL_DEBUG=WARN");

	ok(v && v->missed);
	is(v->name, "NCCL_DEBUG");
	is(nh_nccl_var("NCCL_DEBUG_FILE")->name, "NCCL_DEBUG_FILE");
	ok(!nh_nccl_var("NCCL_DEBUG_FILES=x") && !nh_nccl_var("") && !nh_nccl_var("=x"));
	ok(nh_nccl_var_shown("NCCL_WHATEVER=1") && !nh_nccl_var_shown("PATH=/bin"));
	ok(nh_nccl_var_shown("TORCH_NCCL_BLOCKING_WAIT=1") &&
		nh_nccl_var_shown("CUDA_LAUNCH_BLOCKING=1"));
	for (v = nh_nccl_vars; v->name; v++)
		if (!v->meaning || !v->unset || nh_nccl_var(v->name) != v)
			ok(!v->name);
}

int main(void)
{
	parsing();
	code();
	strings();
	eras();
	notes();
	shapes();
	names();
	functions();
	variables();
	return done();
}
