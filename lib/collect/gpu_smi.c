/* nvidia-smi, in a process that ends with us: each of its queries is one run. */
#include "collect/gpu_smi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/str.h"
#include "collect/gpu.h"

enum { ANSWER_MAX = 1 << 18, NOT_FOUND = 127 };

static void __attribute__((noreturn)) be_smi(const char *query, int out)
{
	pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && dup2(out, STDOUT_FILENO) >= 0)
		execlp("nvidia-smi", "nvidia-smi", query, "--format=csv,noheader,nounits", NULL);
	_exit(NOT_FOUND);
}

/* Its output, in buf with a NUL behind it; how much, or -ENOENT. */
static ssize_t run(const char *query, char *buf)
{
	int ends[2], status = 0;
	size_t n = 0;
	ssize_t got = 1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		be_smi(query, ends[1]);
	close(ends[1]);
	while (pid > 0 && got > 0 && n < ANSWER_MAX - 1) {
		got = read(ends[0], buf + n, ANSWER_MAX - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	buf[n] = '\0';
	close(ends[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	return WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND ? -ENOENT : (ssize_t)n;
}

static const char *words_of(
	struct nh_arena *a, const struct nh_smi_query *q, const nh_smi_names names)
{
	const char *s = q->option;

	for (size_t i = 0, n = 0; q->columns[i].name; i++) {
		const char *name = nh_smi_name(q, names, i);

		if (name)
			s = nh_arena_printf(a, "%s%s%s", s, n++ ? "," : "", name);
	}
	return s;
}

int nh_gpu_ask_smi(struct nh_gpu_teller *t)
{
	struct nh_arena *a = t->c.arena;
	char *buf = nh_new(a, char, ANSWER_MAX);

	for (size_t i = 0; i < nh_smi_nqueries; i++) {
		const struct nh_smi_query *q = &nh_smi_queries[i];
		nh_smi_names names = { 0 };
		ssize_t n;

		/* Versions differ in the fields they know: it says which one it does not. */
		do
			n = run(words_of(a, q, names), buf);
		while (n > 0 && nh_smi_refused(q, names, buf, (size_t)n));
		if (n < 0)
			return i ? 0 : (int)n;
		nh_smi_parse(q, names, buf, (size_t)n, &t->c);
		if (!t->c.gpus.n) {
			nh_gpu_tell_error(
				t, *buf ? nh_arena_printf(a, "nvidia-smi: %s",
						  nh_utf8_repair(a, buf, strcspn(buf, "\n")))
					: "nvidia-smi names no GPU");
			return 0;
		}
		/* What comes later may not come: the rows are told as they are, and stay. */
		nh_write_tables(&t->w, &t->c);
	}
	return 0;
}
