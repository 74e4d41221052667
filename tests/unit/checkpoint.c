/* Inert pickles, zip directories, and what keys and names mean. */
#include "tap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "records/checkpoint.h"
#include "evidence/checkpoint.h"
#include "evidence/pickle.h"
#include "evidence/zip.h"
#include "know/checkpoint.h"

static int key(const char *s)
{
	return nh_ckpt_key(s, strlen(s));
}

static void keys(void)
{
	ok(key("model") == NH_CKPT_MODEL && key("model_state_dict") == NH_CKPT_MODEL);
	ok(key("state_dict") == NH_CKPT_MODEL && key("Optimizer_States") == NH_CKPT_OPTIMIZER);
	ok(key("optim") == NH_CKPT_OPTIMIZER && key("lr_scheduler") == NH_CKPT_SCHEDULER);
	ok(key("dataloader") == NH_CKPT_DATA && key("rng_state") == NH_CKPT_RNG);
	ok(key("cuda_rng_state") == NH_CKPT_CUDA_RNG && key("global_step") == NH_CKPT_PROGRESS);
	ok(key("") < 0 && key("weight") < 0 && key("_state") < 0 && key("steps_per_epoch") < 0);
}

static int layout(const char *s)
{
	const struct nh_ckpt_name *n = nh_ckpt_name(s);

	return n ? n->layout : -1;
}

static void names(void)
{
	ok(layout(".metadata") == NH_CKPT_DCP && layout("__3_0.distcp") == NH_CKPT_DCP);
	ok(layout("rng_state_12.pth") == NH_CKPT_HF && layout("train.py") < 0);
	ok(layout("random_states_0.pkl") == NH_CKPT_ACCELERATE);
	ok(layout("bf16_zero_pp_rank_3_mp_rank_00_optim_states.pt") == NH_CKPT_DEEPSPEED);
	ok(layout("mp_rank_00_model_states.pt") == NH_CKPT_DEEPSPEED);
	ok(layout("mp_rank_03") == NH_CKPT_MEGATRON && layout("pytorch_model.bin") == 0);
	ok(nh_ckpt_is_marker("latest") && !nh_ckpt_is_marker("latest.log"));
	ok(nh_ckpt_untold(NH_CKPT_LIGHTNING, NH_CKPT_RNG) &&
		!nh_ckpt_untold(NH_CKPT_DCP, NH_CKPT_RNG) && !nh_ckpt_untold(0, NH_CKPT_RNG));
}

/* An OrderedDict of one tensor, as torch.save has it. */
static void inert(void)
{
	static const char text[] =
		"\x80\x02"
		"ccollections\nOrderedDict\n)R(X\1\0\0\0wctorch._utils\n_rebuild\n"
		"(X\1\0\0\0aQK\1tRu}X\1\0\0\0k\x8a\x09\1\2\3\4\5\6\7\x08\x09sb.rest";
	struct nh_tree t = { 0 };
	const struct nh_value *v, *w;
	struct nh_err err;
	size_t used, n;

	if (!ok(!nh_pickle_read_inert(text, sizeof(text) - 1, &used, &t, &err)))
		printf("# %s\n", err.msg);
	ok(used == sizeof(text) - 1 - 4);
	v = nh_tree_items(&t, &t.root, &n);
	if (!ok(t.root.kind == NH_V_OBJECT && n == 6))
		return;
	ok(v[0].kind == NH_V_CLASS && v[0].n == 11 && !memcmp(v[0].s, "OrderedDict", 11));
	ok(v[2].kind == NH_V_STR && v[2].n == 1 && v[3].kind == NH_V_OBJECT);
	ok(v[4].kind == NH_V_NONE && v[5].kind == NH_V_DICT);
	w = nh_tree_items(&t, &v[3], &n);
	ok(n == 2 && !memcmp(w[0].s, "_rebuild", 8) && w[1].kind == NH_V_LIST);
	ok(nh_pickle_read(text, sizeof(text) - 1, &t, &err) && strstr(err.msg, "GLOBAL at byte 2"));
	nh_tree_free(&t);
}

static const char *refused(const char *text, size_t n, struct nh_err *err)
{
	struct nh_tree t = { 0 };
	size_t used;

	err->msg[0] = '\0';
	nh_pickle_read_inert(text, n, &used, &t, err);
	nh_tree_free(&t);
	return err->msg;
}

#define REFUSED(text) refused(text, sizeof(text) - 1, &err)

static void bounds(void)
{
	struct nh_err err;

	ok(strstr(REFUSED("\x80\x02R."), "REDUCE at byte 2: too few values"));
	ok(strstr(REFUSED("\x80\x02(oN."), "OBJ at byte 3: too few values"));
	ok(strstr(REFUSED("\x80\x02"
			  "cos\nsystem"),
		"GLOBAL at byte 2: the file ends in the middle of it"));
	ok(strstr(REFUSED("\x80\x02N\x90."), "ADDITEMS at byte 3: no MARK"));
	ok(strstr(REFUSED("\x80\x04NN\x93."), "a name that is no string"));
	ok(strstr(REFUSED("\x80\x02"
			  "cos\nsystem\n(X\1\0\0\0xtR"),
		"cut short"));
	ok(strstr(REFUSED("\x80\x02\x8a\xff\1."), "LONG1"));
	ok(strstr(REFUSED("\x80\x02N00."), "POP at byte 4: no MARK"));
	is(REFUSED("\x80\x02"
		   "cos\nsystem\n(X\1\0\0\0xtR."),
		"");
}

static int file_of(const char *bytes, size_t n)
{
	char path[] = "/tmp/nh-checkpoint-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (write(fd, bytes, n) != (ssize_t)n)
		perror("write");
	return fd;
}

/* One stored member "a" holding "hi", at byte 0; directory at 33. */
static const char zip[] =
	"PK\3\4\0\0\0\0\0\0\0\0\0\0\xac\x2a\x93\xd8\2\0\0\0\2\0\0\0\1\0\0\0"
	"ahi"
	"PK\1\2\0\0\0\0\0\0\0\0\0\0\0\0\xac\x2a\x93\xd8\2\0\0\0\2\0\0\0\1\0\0\0\0\0"
	"\0\0\0\0\0\0\0\0\0\0\0\0"
	"aPK\5\6\0\0\0\0\1\0\1\0\x2f\0\0\0\x21\0\0\0\0\0";
enum { ZIP = sizeof(zip) - 1, DIRECTORY = 33, END = DIRECTORY + 47 };

/* Opens the archive with one byte changed; what it says. */
static int changed(size_t at, char to, struct nh_zip *z, struct nh_err *err)
{
	char copy[ZIP];
	int fd, rc;

	memcpy(copy, zip, ZIP);
	copy[at] = to;
	fd = file_of(copy, ZIP);
	rc = nh_zip_open((struct nh_span){ fd, 0, ZIP }, z, err);
	if (rc)
		close(fd);
	return rc;
}

static void archives(void)
{
	struct nh_zip_member m;
	struct nh_zip z;
	struct nh_err err;
	char *data = NULL;
	size_t at = 0;

	ok(!changed(0, 'P', &z, &err) && z.members == 1);
	ok(nh_zip_next(&z, &at, &m) && m.name_n == 1 && m.size == 2 && m.at == 0);
	ok(!nh_zip_next(&z, &at, &m));
	ok(!nh_zip_read(&z, &m, 10, &data, &err) && !memcmp(data, "hi", 2));
	free(data);
	ok(nh_zip_read(&z, &m, 1, &data, &err) == -E2BIG);
	close(z.span.fd);
	nh_zip_close(&z);
	ok(!changed(31, 'H', &z, &err) && nh_zip_read(&z, &m, 10, &data, &err) == -EBADMSG);
	close(z.span.fd);
	nh_zip_close(&z);
	ok(changed(END, 'Q', &z, &err) == -ENODATA && strstr(err.msg, "central directory"));
	nh_zip_close(&z);
	ok(changed(END + 15, '\x7f', &z, &err) == -EBADMSG);
	nh_zip_close(&z);
	ok(changed(END + 8 + 2, 9, &z, &err) == -EBADMSG && strstr(err.msg, "not the 9"));
	nh_zip_close(&z);
	ok(changed(DIRECTORY + 23, '\x7f', &z, &err) == -EBADMSG && strstr(err.msg, "member 0"));
	nh_zip_close(&z);
	ok(changed(DIRECTORY + 29, '\x7f', &z, &err) == -EBADMSG);
	nh_zip_close(&z);
}

static void cadence(void)
{
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };
	struct nh_cadence cad;
	struct nh_save_cost *s;

	ok(!nh_cadence_of(&c, &cad));
	for (int i = 0; i < 4; i++) {
		struct nh_checkpoint *k = nh_case_row(&c, checkpoint, checkpoints);

		k->source = i == 3 ? "elsewhere/step" : "ckpt/step";
		k->done_ms = 1000000 + i * 900000;
		k->began_ms = k->done_ms - 6000;
		k->files = 3;
		if (i == 1)
			ok(!nh_cadence_of(&c, &cad));
	}
	ok(nh_cadence_of(&c, &cad) && cad.saves == 3);
	ok(cad.interval_us == 900000000 && cad.write_us == 6000000 && !cad.training);
	s = nh_case_row(&c, save_cost, save_costs);
	s->step_us = INT64_MAX / 2;
	s->every = 1000;
	s->block_us = 0;
	ok(nh_cadence_of(&c, &cad) && cad.interval_us == 900000000 && cad.block_us == NH_UNKNOWN);
	s = nh_case_row(&c, save_cost, save_costs);
	s->interval_us = 5;
	s->block_us = 3;
	s->write_us = 7;
	ok(nh_cadence_of(&c, &cad) && cad.interval_us == 5 && cad.block_us == 3 &&
		cad.write_us == 7);
	c.checkpoints.n = c.save_costs.n = 0;
	s = nh_case_row(&c, save_cost, save_costs);
	s->step_us = 900000;
	s->every = 1000;
	ok(nh_cadence_of(&c, &cad) && cad.interval_us == 900000000 && cad.training && !cad.saves);
	is(nh_bytes_words(&a, 999), "999 bytes");
	is(nh_bytes_words(&a, 140000000000), "140.0 GB");
	nh_arena_free(&a);
}

int main(void)
{
	keys();
	names();
	inert();
	bounds();
	archives();
	cadence();
	return done();
}
