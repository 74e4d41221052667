/* Which PyTorch and which NCCL: what the process maps, or what its Python would load. */
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/str.h"
#include "know/evidence_env.h"
#include "know/nccl_versions.h"
#include "preflight/internal.h"
#include "proc/parse.h"
#include "proc/read.h"

enum { MAPS_MAX = 64 << 20, CHUNK = 1 << 20, OVERLAP = 128, LIBRARY_MAX = 1 << 30 };

/* The part of a path before "/name/", or NULL. */
static const char *before(struct nh_arena *a, const char *path, const char *name)
{
	const char *at = strstr(path, name);

	return at ? nh_arena_strndup(a, path, (size_t)(at - path)) : NULL;
}

/* The first file that matches, as the process sees it. */
static const char *first_match(struct nh_flying *f, const char *pattern)
{
	const char *real = nh_flying_path(f, pattern), *found = NULL;
	size_t skip = strlen(real) - strlen(pattern);
	glob_t g = { 0 };

	if (!glob(real, 0, NULL, &g) && g.gl_pathc)
		found = nh_arena_strdup(f->a, g.gl_pathv[0] + skip);
	globfree(&g);
	return found;
}

/* The version in a file name "…/torch-2.6.0.dist-info". */
static const char *dist_version(struct nh_flying *f, const char *package)
{
	const char *path =
		first_match(f, nh_arena_printf(f->a, "%s/%s-*.dist-info", f->site, package));
	const char *dash = path ? strrchr(path, '/') : NULL;

	dash = dash ? strchr(dash, '-') : NULL;
	return dash ? dash + 1 : NULL;
}

static int64_t torch_version(struct nh_flying *f)
{
	static const char label[] = "__version__ = '";
	const char *path = nh_arena_printf(f->a, "%s/torch/version.py", f->site), *at;
	char buf[4096];

	if (nh_read_small(-1, nh_flying_path(f, path), buf, sizeof(buf)) > 0 &&
		(at = strstr(buf, label)))
		return nh_torch_version_parse(at + sizeof(label) - 1);
	return nh_torch_version_parse(dist_version(f, "torch"));
}

static void find_mapped(struct nh_flying *f)
{
	struct nh_arena tmp = { 0 };
	char *maps;
	struct nh_map m;
	ssize_t n = nh_read_whole(&tmp, f->dir, "maps", MAPS_MAX, &maps, NULL);

	for (size_t pos = 0; n > 0 && nh_parse_map(maps, (size_t)n, &pos, &m) > 0;) {
		const char *path = nh_arena_strndup(&tmp, m.path_len ? m.path : "", m.path_len);
		const char *base = strrchr(path, '/');

		if (base && !f->nccl && nh_starts_with(base, "/libnccl.so")) {
			f->nccl = nh_arena_strdup(f->a, path);
			f->mapped = true;
		}
		if (!base || !nh_starts_with(base, "/libtorch"))
			continue;
		f->site = f->site ? f->site : before(f->a, path, "/torch/lib/");
		/* Distributions install it under its own version, "libtorch_cpu.so.2.6". */
		if (f->torch == NH_UNKNOWN && strstr(base, ".so."))
			f->torch = nh_torch_version_parse(strstr(base, ".so.") + 4);
	}
	nh_arena_free(&tmp);
}

/* Where a program would be found; its folder's parent, links followed or not. */
static const char *home_of(struct nh_flying *f, const char *program)
{
	const char *paths = nh_flying_env(f, "PATH");
	char *save = NULL, *list = nh_arena_strdup(f->a, paths ? paths : "/usr/bin:/bin");

	if (strchr(program, '/'))
		return nh_arena_printf(
			f->a, "%.*s..", (int)(strrchr(program, '/') + 1 - program), program);
	for (char *dir = strtok_r(list, ":", &save); dir; dir = strtok_r(NULL, ":", &save))
		if (!access(nh_arena_printf(f->a, "%s/%s", dir, program), X_OK))
			return nh_arena_printf(f->a, "%s/..", dir);
	return NULL;
}

/* The packages of the command's environment: beside the program, be it python or torchrun. */
static void find_installed(struct nh_flying *f)
{
	static const char *const folders[] = { "lib/python3*/site-packages",
		"lib/python3*/dist-packages", "local/lib/python3*/dist-packages" };
	const char *home = *f->command ? home_of(f, *f->command) : NULL, *found = NULL;

	home = home ? home : home_of(f, "python3");
	for (size_t i = 0; home && !found && i < sizeof(folders) / sizeof(*folders); i++)
		found = first_match(
			f, nh_arena_printf(f->a, "%s/%s/torch/version.py", home, folders[i]));
	f->site = found ? before(f->a, found, "/torch/version.py") : NULL;
}

void nh_find_libraries(struct nh_flying *f)
{
	if (f->p->pid != NH_UNKNOWN)
		find_mapped(f);
	else
		find_installed(f);
	if (!f->site)
		return;
	f->torch = torch_version(f);
	if (!f->nccl)
		f->nccl = first_match(
			f, nh_arena_printf(f->a, "%s/nvidia/nccl/lib/libnccl.so.2", f->site));
}

/* "NCCL version 2.21.5+cuda12.4" anywhere in the file. */
static int64_t search_file(int fd)
{
	struct nh_arena tmp = { 0 };
	char *buf = nh_new(&tmp, char, CHUNK + OVERLAP), cuda[NH_NCCL_CUDA_TEXT];
	int64_t version = NH_UNKNOWN;
	size_t kept = 0, len;
	ssize_t n;

	for (off_t at = 0; version == NH_UNKNOWN && at < LIBRARY_MAX; at += n) {
		n = pread(fd, buf + kept, CHUNK, at);
		if (n <= 0)
			break;
		len = kept + (size_t)n;
		version = nh_nccl_version_of_strings(buf, len, cuda);
		kept = len < OVERLAP ? len : OVERLAP;
		memmove(buf, buf + len - kept, kept);
	}
	nh_arena_free(&tmp);
	return version;
}

/* Whether an ELF file has lost its table of symbols: -1 = it is none. */
static int is_stripped(int fd)
{
	int stripped = -1;
	Elf_Scn *scn = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		stripped = 1;
	while (stripped == 1 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			stripped = 0;
	}
	elf_end(elf);
	return stripped;
}

static int64_t nccl_version(struct nh_flying *f, int fd)
{
	int64_t v = nh_nccl_version_of_path(f->nccl);
	const char *site = before(f->a, f->nccl, "/nvidia/nccl/");

	if (v == NH_UNKNOWN && site) {
		f->site = site;
		v = nh_nccl_version_parse(dist_version(f, "nvidia_nccl_cu*"));
	}
	return v == NH_UNKNOWN && fd >= 0 ? search_file(fd) : v;
}

static void check_version(struct nh_flying *f, int64_t version)
{
	const char *verb = f->mapped ? "mapped" : "would be loaded";
	const struct nh_nccl_note *note = NULL;
	char text[NH_NCCL_VERSION_TEXT];
	size_t bad = 0;

	if (version == NH_UNKNOWN) {
		nh_check_add(f, NH_CHECK_UNKNOWN, "NCCL version", "%s does not tell it", f->nccl);
		return;
	}
	nh_nccl_version_text(version, text);
	while ((note = nh_nccl_next_note(version, note))) {
		struct nh_check *c;

		if (note->kind != NH_NOTE_REGRESSION || !note->teardown)
			continue;
		bad++;
		c = nh_check_add(f, NH_CHECK_ADVICE, "NCCL version", "%s (%s)", text, verb);
		c->why = note->text;
		c->cost = "another version of NCCL";
	}
	if (!bad)
		nh_check_add(f, NH_CHECK_FINE, "NCCL version",
			"%s (%s): not in a range known to hang", text, verb);
}

void nh_check_nccl(struct nh_flying *f)
{
	nh_auto_close int fd = -1;
	int stripped;

	if (!f->nccl) {
		nh_check_add(f, NH_CHECK_UNKNOWN, "NCCL version", "no libnccl is %s",
			f->p->pid != NH_UNKNOWN ? "mapped"
						: "found beside the Python of this command");
		return;
	}
	fd = nh_file_open(-1, nh_flying_path(f, f->nccl));
	check_version(f, nccl_version(f, fd));
	stripped = fd >= 0 ? is_stripped(fd) : -1;
	if (stripped < 0)
		nh_check_add(f, NH_CHECK_UNKNOWN, "NCCL symbols", "%s cannot be read", f->nccl);
	else if (!stripped)
		nh_check_add(f, NH_CHECK_FINE, "NCCL symbols", "%s has them", f->nccl);
	else
		nh_check_add(f, NH_CHECK_ADVICE, "NCCL symbols", "%s is stripped", f->nccl)->why =
			"functions inside NCCL have no names in stacks; teardown is still told "
			"by its threads and sockets";
}

static const char *method_of(const char *cmdline, size_t n, const char *parent, size_t parent_n)
{
	if (memmem(cmdline, n, "multiprocessing.forkserver", 26))
		return "forkserver";
	if (memmem(cmdline, n, "multiprocessing.spawn", 21))
		return "spawn";
	return n && n == parent_n && !memcmp(cmdline, parent, n) ? "fork" : NULL;
}

/* By the command lines of its children: a forked one has its parent's. */
void nh_check_start_method(struct nh_flying *f)
{
	char own[4096], buf[4096], list[65536], *at = list;
	ssize_t n = nh_read_small(f->dir, "cmdline", own, sizeof(own)), m;
	const char *method = NULL;

	if (f->p->pid == NH_UNKNOWN ||
		nh_read_small(f->dir,
			nh_arena_printf(f->a, "task/%jd/children", (intmax_t)f->p->pid), list,
			sizeof(list)) <= 0)
		*list = 0;
	for (char *end; !method && n > 0; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		m = nh_read_small(
			-1, nh_arena_printf(f->a, "/proc/%ld/cmdline", pid), buf, sizeof(buf));
		method = m > 0 ? method_of(buf, (size_t)m, own, (size_t)n) : NULL;
	}
	if (!method) {
		nh_check_add(f, NH_CHECK_UNKNOWN, "start method",
			"no helper process shows how they are started (fork is Linux's default "
			"before Python 3.14)");
		return;
	}
	struct nh_check *c =
		nh_check_add(f, strcmp(method, "fork") != 0 ? NH_CHECK_FINE : NH_CHECK_ADVICE,
			"start method", "%s, by its children", method);

	if (c->state == NH_CHECK_FINE)
		return;
	c->why = "a forked helper holds every connection its parent had: with NCCL 2.16.2 to "
		 "2.17.1 such a one can hold up teardown for ever";
	c->cost = "start helpers with spawn or forkserver: each imports anew";
}
