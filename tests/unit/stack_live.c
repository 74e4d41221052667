/* Stacks of real processes: every known chain must come out whole, by name and in order. */
#include <sched.h>
#include <sys/mount.h>
#include "stack_scene.h"

/* Checks the thread whose chain is looked for: thread `at` of the scene's process. */
static void expect(const char *what, struct seen *s, size_t at, const char *chain)
{
	char label[400];
	const char *names = at < s->n ? seen_names(s, at) : "(no thread)";
	bool complete = at < s->n && !s->t[at].err && s->t[at].walk.complete;

	snprintf(label, sizeof(label), "%s: complete, with \"%s\"", what, chain);
	if (tap_ok(complete && strstr(names, chain), label, __FILE__, __LINE__))
		return;
	printf("# err %d, tracer %d, %s\n#%s\n", s->err, at < s->n ? s->t[at].trace_err : 0,
		at < s->n && s->t[at].walk.why ? s->t[at].walk.why : "complete", names);
}

static const struct {
	const char *mode;
	size_t thread;
	const char *chain;
} chains[] = {
	{ "main", 0, " pause stand gamma_end beta alpha main " },
	{ "thread", 1, " pause stand gamma_end beta alpha thread_main start_thread " },
	{ "alloca", 0, " pause stand gamma_end with_alloca main " },
	{ "signal", 0, " pause stand gamma_end on_alternate_stack __restore_rt " },
	{ "signal", 0, " interrupted main " },
	{ "deep", 0, " pause stand gamma_end deep deep deep deep " },
	{ "vfork", 0, " vfork vforker main " },
	{ "spin", 0, " gamma_end beta alpha main " },
};

static const struct {
	const char *name, *cc, *flags;
} builds[] = {
	{ "O0", NULL, "-O0" },
	{ "O2", NULL, "-O2" },
	{ "O2-fp", NULL, "-O2 -fno-omit-frame-pointer" },
	{ "O3", NULL, "-O3 -fomit-frame-pointer" },
	{ "O3-noplt", NULL, "-O3 -fno-omit-frame-pointer -fno-plt -fno-pie -no-pie" },
	{ "static", NULL, "-O2 -static" },
	{ "static-pie", NULL, "-O2 -static-pie" },
	{ "clang-O0", "clang", "-O0" },
	{ "clang-O2", "clang", "-O2 -fno-omit-frame-pointer" },
	{ "clang-O3", "clang", "-O3" },
};

static const char *compiler(void)
{
	const char *cc = getenv("CC");

	return cc && *cc ? cc : "cc";
}

static void all_chains(const char *build, const char *path)
{
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++) {
		struct scene scene;
		struct seen seen;
		char what[200];

		snprintf(what, sizeof(what), "%s %s", build, chains[i].mode);
		if (!scene_start(path, chains[i].mode, NULL, NULL, &scene)) {
			tap_ok(0, what, __FILE__, __LINE__);
			continue;
		}
		seen_take(scene.pid, false, false, &seen);
		expect(what, &seen, chains[i].thread, chains[i].chain);
		if (!strcmp(chains[i].mode, "deep"))
			ok(seen.t[0].walk.n >= 505 && seen.t[0].walk.n < 520);
		seen_free(&seen);
		scene_end(&scene);
	}
}

static void every_build(void)
{
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		const char *cc = builds[i].cc ? builds[i].cc : compiler();
		const char *path = scene_build(cc, builds[i].flags, builds[i].name);

		if (path)
			all_chains(builds[i].name, path);
		else
			printf("ok %d - build %s # SKIP %s does not build it\n", ++tap_n,
				builds[i].name, cc);
	}
}

static void inlined_functions(void)
{
	const char *path = scene_build(compiler(), "-O2 -g", "inlined");
	struct scene scene;
	struct seen seen;

	if (!path || !scene_start(path, "inlined", NULL, NULL, &scene)) {
		ok(!"the scene stands");
		return;
	}
	seen_take(scene.pid, false, false, &seen);
	expect("debug information", &seen, 0, " gamma_end small_helper inlining main ");
	seen_free(&seen);
	scene_end(&scene);
}

/* Without names a frame still has its module and offset, and the stack is whole. */
static void stripped(void)
{
	const char *path = scene_build(compiler(), "-O2 -s", "stripped");
	struct scene scene;
	struct seen seen;

	if (!path || !scene_start(path, "main", NULL, NULL, &scene)) {
		ok(!"the scene stands");
		return;
	}
	seen_take(scene.pid, false, false, &seen);
	expect("stripped", &seen, 0, " pause ? ? ? ? ? __libc_start");
	ok(seen.t[0].walk.n > 4 && seen.t[0].walk.v[2].image->build_id);
	ok(seen.t[0].walk.n > 4 && seen.t[0].walk.v[2].offset > 0);
	seen_free(&seen);
	scene_end(&scene);
}

/* The library on disk is another one by now: names must come from the one in memory. */
static void replaced_library(bool root)
{
	char lib[600];
	const char *path = scene_build(compiler(), "-O2 -shared -fPIC -DLIBRARY", "lib.so");
	struct scene scene;
	struct seen seen;

	snprintf(lib, sizeof(lib), "%s", path ? path : "");
	path = scene_build(compiler(), "-O2", "loader");
	chmod(lib, 0755);
	if (!path || !scene_start(path, "library", lib, NULL, &scene)) {
		ok(!"the scene stands");
		return;
	}
	unlink(lib);
	shell("cp %s %s", path, lib);
	seen_take(scene.pid, false, false, &seen);
	/* map_files shows the deleted file to root; memory has only its exports. */
	expect(root ? "replaced library, as root" : "replaced library, as a user", &seen, 0,
		root ? " pause stand in_library gamma_end beta "
		     : " in_library gamma_end beta alpha in_loaded ");
	seen_free(&seen);
	scene_end(&scene);
}

#ifdef __x86_64__
static void generated_code(void)
{
	const char *path = scene_build(compiler(), "-O2", "generated");
	char map[64];
	struct scene scene;
	struct seen seen;

	if (!path || !scene_start(path, "generated", NULL, NULL, &scene)) {
		ok(!"the scene stands");
		return;
	}
	seen_take(scene.pid, true, false, &seen);
	is(seen_names(&seen, 0), " pause stand compiled_code");
	ok(!seen.t[0].walk.complete && seen.t[0].walk.why &&
		strstr(seen.t[0].walk.why, "no ELF image"));
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", scene.pid);
	unlink(map);
	seen_free(&seen);
	scene_end(&scene);
}
#endif

/* Names in a debug file of their own, and packed into the program. */
static void names_elsewhere(void)
{
	const char *path = scene_build(compiler(), "-O2 -g", "whole");
	struct scene scene;
	struct seen seen;
	char packed[600];

	snprintf(packed, sizeof(packed), "%s/packed", scene_dir());
	if (!path || shell("cd %s && nm whole | awk '{print $3}' | sort >all && objcopy -S "
			   "--keep-symbols=all whole names && xz -kf names && "
			   "objcopy -S --add-section .gnu_debugdata=names.xz whole packed",
			     scene_dir())) {
		printf("ok %d - packed symbols # SKIP objcopy or xz is missing\n", ++tap_n);
		return;
	}
	if (!scene_start(packed, "main", NULL, NULL, &scene)) {
		ok(!"the scene stands");
		return;
	}
	seen_take(scene.pid, false, false, &seen);
	expect(".gnu_debugdata", &seen, 0, chains[0].chain);
	seen_free(&seen);
	scene_end(&scene);
}

static void own_mounts(void)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/ns", scene_dir());
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", path, "tmpfs", 0, NULL) ||
		mount("none", "/usr/lib/debug", "tmpfs", 0, NULL) ||
		shell("cd %s && id=$(readelf -n whole | sed -n 's/.*Build ID: //p') && "
		      "dir=/usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $dir && "
		      "objcopy --only-keep-debug whole $dir/$(echo $id | cut -c3-).debug && "
		      "objcopy -S whole ns/scene",
			scene_dir()))
		_exit(126);
}

static void other_mounts(void)
{
	char dir[600], path[640];
	struct scene scene;
	struct seen seen;

	snprintf(dir, sizeof(dir), "%s/ns", scene_dir());
	snprintf(path, sizeof(path), "%s/scene", dir);
	mkdir(dir, 0755);
	if (!scene_start(path, "inlined", NULL, own_mounts, &scene)) {
		printf("ok %d - other mounts # SKIP cannot make a mount namespace\n", ++tap_n);
		return;
	}
	ok(access(path, F_OK) != 0);
	seen_take(scene.pid, false, false, &seen);
	expect("a file and a debug file that only its mount namespace has", &seen, 0,
		" pause stand gamma_end small_helper inlining main ");
	seen_free(&seen);
	scene_end(&scene);
}

/* A checks-as-somebody-else process; its failures count here. */
static void as_user(void (*fn)(bool))
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		int bad = tap_bad;

		chmod(scene_dir(), 0777);
		if (setgid(65534) || setuid(65534))
			_exit(77);
		prctl(PR_SET_DUMPABLE, 1);
		fn(false);
		fflush(stdout);
		_exit(tap_bad != bad);
	}
	waitpid(child, &status, 0);
	tap_n++; /* the one check in fn */
	tap_bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int main(void)
{
	bool root = geteuid() == 0;

	every_build();
	inlined_functions();
	stripped();
	replaced_library(root);
	names_elsewhere();
#ifdef __x86_64__
	generated_code();
#endif
	if (root) {
		other_mounts();
		as_user(replaced_library);
	}
	return done();
}
