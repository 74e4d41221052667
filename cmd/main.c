#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include "demo/demo.h"
#include "emit.h"
#include "preflight.h"

static int cmd_demo(const struct nh_opts *o)
{
	const char *scene = o->noperands ? o->operands[0] : nh_demo_scenes[0].name;
	struct nh_nearest near = { .word = scene };
	struct nh_arena a = { 0 };

	for (const struct nh_demo_scene *s = nh_demo_scenes; s->name; s++) {
		if (!strcmp(s->name, scene))
			return nh_cmd_demo(scene, o->stripped, (double)o->for_ms / 1000);
		nh_nearest_try(&near, s->name);
	}
	nh_warn("unknown scene '%s'%s; try 'ncclhang --help'", scene,
		nh_nearest_hint(&a, &near, ""));
	nh_arena_free(&a);
	return EX_USAGE;
}

const struct nh_command nh_commands[] = {
	{ "", NH_C_INSPECT, 0, -1, "PID", "[OPTIONS] [PID...]",
		"inspect live processes: those PIDs and their descendants, or every training "
		"process of this host",
		nh_cmd_inspect },
	{ "report", NH_C_REPORT, 1, -1, "PATH", "report [OPTIONS] PATH...",
		"the same verdict from saved cases; a directory is searched, - is stdin",
		nh_cmd_report },
	{ "preflight", NH_C_PREFLIGHT, 0, -1, "PID", "preflight [OPTIONS] [PID | -- COMMAND...]",
		"before the run: will the next failure leave evidence? COMMAND is not started",
		nh_cmd_preflight },
	{ "demo", NH_C_DEMO, 0, 1, "SCENE", "demo [SCENE] [--stripped] [--for SECONDS]",
		"a really hung job to try it on", cmd_demo },
	{ 0 },
};

/* A descriptor opened later must not become stdout; one that fails on use stands in. */
static void occupy_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

/* A report cut short by a full disk must not look like a report. */
static int close_stdout(int status)
{
	bool bad = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !bad)
		return status;
	nh_warn("cannot write to standard output%s%s", errno ? ": " : "",
		errno ? strerror(errno) : "");
	return EX_IOERR;
}

static int act(const struct nh_opts *o)
{
	switch (o->action) {
	case NH_HELP:
		nh_help(stdout);
		return 0;
	case NH_VERSION_ONLY:
		fputs("ncclhang " NH_VERSION "\n", stdout);
		return 0;
	case NH_COMPLETE:
		nh_complete(stdout, o->shell);
		return 0;
	default:
		return o->command->run(o);
	}
}

int main(int argc, char **argv)
{
	struct nh_arena a = { 0 };
	struct nh_opts o;
	struct nh_err err;
	int status = EX_USAGE;

	occupy_standard_streams();
	signal(SIGPIPE, SIG_DFL); /* whoever started us may have it ignored */
	if (nh_opts_parse(&a, argc, argv, &o, &err) < 0)
		nh_warn("%s; try 'ncclhang --help'", err.msg);
	else
		status = act(&o);
	nh_arena_free(&a);
	return close_stdout(status);
}
