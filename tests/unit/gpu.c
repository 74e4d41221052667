/* nvidia-smi's answers, and which process of a case uses a GPU. */
#include "tap.h"

#include "rules/gpu.h"
#include "collect/gpu_smi.h"

static struct nh_arena a;

static void take(struct nh_case *c, int query, const char *text)
{
	nh_smi_names names = { 0 };

	nh_smi_parse(&nh_smi_queries[query], names, text, strlen(text), c);
}

static void test_rows(void)
{
	struct nh_case c = { .arena = &a };

	take(&c, 0,
		"0, GPU-a, A 100, 00000000:19:00.0, 535.1, 45, 95.5, 700.00, 345, 1980, 99, 10, "
		"80, 8, 16, 1, 5, 2, Yes, Enabled, Disabled, 0x000000000000000C\r\n"
		"1,GPU-b,[N/A],N/A,,x,-3,1e9\n"
		"No devices were found\n");
	ok(c.gpus.n == 2);
	is(c.gpus.v[0].name, "A 100");
	ok(c.gpus.v[0].power_mw == 95500 && c.gpus.v[0].power_limit_mw == 700000);
	ok(c.gpus.v[0].mem_used_bytes == 10 << 20 && c.gpus.v[0].ecc_uncorrected == 2);
	ok(c.gpus.v[0].retired_pending && c.gpus.v[0].persistence && !c.gpus.v[0].mig);
	ok(c.gpus.v[0].throttle.n == 2);
	is(c.gpus.v[0].throttle.v[0], "sw_power_cap");
	ok(!c.gpus.v[1].name && !c.gpus.v[1].pci && !c.gpus.v[1].driver);
	ok(c.gpus.v[1].temperature_c == NH_UNKNOWN && c.gpus.v[1].power_mw == NH_UNKNOWN &&
		c.gpus.v[1].power_limit_mw == NH_UNKNOWN && !c.gpus.v[1].trouble);
	take(&c, 1, "GPU-b, 7\nGPU-c, 8\nGPU-b, [N/A]\nGPU-b, 9");
	ok(c.gpus.v[1].pids.n == 2 && c.gpus.v[1].pids.v[1] == 9 && !c.gpus.v[0].pids.n);
	take(&c, 2, "GPU-a, No, Yes\nGPU-b, [N/A], [N/A]\n");
	ok(!c.gpus.v[0].remap_pending && c.gpus.v[0].remap_failed && !c.gpus.v[1].remap_failed);
}

static void test_lost(void)
{
	struct nh_case c = { .arena = &a };

	take(&c, 0,
		"Unable to determine the device handle for GPU0000:1A:00.0: Unknown Error\n"
		"Unable to determine the device handle for GPU\n"
		"0, [GPU requires reset], [\n");
	ok(c.gpus.n == 3 && c.gpus.v[0].trouble == NH_GPU_UNREADABLE);
	is(c.gpus.v[0].pci, "0000:1A:00.0");
	is(c.gpus.v[0].error, "Unknown Error");
	ok(c.gpus.v[1].trouble == NH_GPU_UNREADABLE && !c.gpus.v[1].pci);
	ok(c.gpus.v[2].trouble == NH_GPU_RESET);
	is(c.gpus.v[2].error, "GPU requires reset");
}

static bool refuse(nh_smi_names names, const char *field)
{
	char text[128];
	int n = snprintf(
		text, sizeof(text), "Field \"%s\" is not a valid field to query.\n", field);

	return nh_smi_refused(&nh_smi_queries[0], names, text, (size_t)n);
}

static void test_refused(void)
{
	static const char late[] = "clocks_event_reasons.active";
	static const char early[] = "clocks_throttle_reasons.active";
	nh_smi_names names = { 0 };
	size_t i = 0;

	while (strcmp(nh_smi_queries[0].columns[i].name, late) != 0)
		i++;
	ok(refuse(names, late));
	is(nh_smi_name(&nh_smi_queries[0], names, i), early);
	ok(!refuse(names, late));
	ok(refuse(names, early));
	ok(!nh_smi_name(&nh_smi_queries[0], names, i));
	ok(!refuse(names, early));
	ok(!refuse(names, "no.such.field"));
	ok(!nh_smi_refused(&nh_smi_queries[0], names, "Field \"", 7));
	ok(!nh_smi_refused(&nh_smi_queries[0], names, "0, GPU-a", 8));
}

static struct nh_case *scene(void)
{
	struct nh_case *c = nh_new(&a, struct nh_case, 1);
	struct nh_process *p;
	struct nh_gpu *g;

	nh_row_init(&nh_case_header_type, c);
	c->arena = &a;
	nh_case_row(c, sample, samples)->sample = 1;
	p = nh_case_row(c, process, processes);
	p->sample = 1;
	p->pid = 7;
	p->why = NH_WHY_TARGET;
	g = nh_case_row(c, gpu, gpus);
	g->index = 3;
	g->uuid = "GPU-abc";
	g->trouble = NH_GPU_LOST;
	return c;
}

static void env(struct nh_case *c, const char *entry)
{
	*nh_push(&a, &c->processes.v[0].env) = entry;
}

static void open_file(struct nh_case *c, const char *path)
{
	struct nh_fd *fd = nh_case_row(c, fd, fds);

	fd->sample = 1;
	fd->pid = 7;
	fd->fd = 40;
	fd->path = path;
}

/* The confidence of the verdict, 0 = nothing found. */
static int verdict(struct nh_case *c)
{
	c->verdict.findings.n = 0;
	nh_gpu_analyse(c);
	return c->verdict.findings.n ? c->verdict.findings.v[0].confidence : 0;
}

static void test_users(void)
{
	struct nh_case *c = scene();

	ok(!verdict(c));
	open_file(c, "/dev/nvidia3");
	ok(verdict(c) == NH_POSSIBLE);
	env(c, "LOCAL_RANK=3");
	ok(verdict(c) == NH_LIKELY);
	ok(c->verdict.findings.v[0].culprit->pid == 7);
	env(c, "CUDA_VISIBLE_DEVICES=0,1,2,4");
	ok(!verdict(c));

	c = scene();
	env(c, "CUDA_VISIBLE_DEVICES=GPU-x,GPU-ab");
	env(c, "LOCAL_RANK=1");
	ok(verdict(c) == NH_POSSIBLE);
	*nh_push(&a, &c->gpus.v[0].pids) = 7;
	ok(verdict(c) == NH_LIKELY);
	c->gpus.v[0].trouble = NH_GPU_SILENT;
	ok(!verdict(c));
}

/* What leaves open which GPU is meant. */
static void test_env(void)
{
	static const char *const vague[] = { "CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES=,,,",
		"LOCAL_RANK=", "LOCAL_RANK=3x", "LOCAL_RANK=33333333333333333333", "LOCAL_RANK=4" };

	for (size_t i = 0; i < sizeof(vague) / sizeof(*vague); i++) {
		struct nh_case *c = scene();

		env(c, vague[i]);
		ok(!verdict(c));
	}
	for (int container = 0; container < 2; container++) {
		struct nh_case *c = scene();

		env(c, "LOCAL_RANK=3");
		env(c, container ? "NVIDIA_VISIBLE_DEVICES=4,5,6,7" : "NVIDIA_VISIBLE_DEVICES=all");
		ok(verdict(c) == (container ? 0 : NH_POSSIBLE));
	}
}

int main(void)
{
	test_rows();
	test_lost();
	test_refused();
	test_users();
	test_env();
	nh_arena_free(&a);
	return done();
}
