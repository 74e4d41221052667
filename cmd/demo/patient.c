#include "patient.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3: needed where vm.memfd_noexec is 1 */
#endif
#define ABOVE_USED 16 /* descriptors from here on are out of dup2's way */

extern const unsigned char nh_demo_image[], nh_demo_image_end[];
extern const unsigned char nh_demo_image_stripped[], nh_demo_image_stripped_end[];

int nh_patient_image(bool stripped)
{
	const unsigned char *at = stripped ? nh_demo_image_stripped : nh_demo_image;
	const unsigned char *end = stripped ? nh_demo_image_stripped_end : nh_demo_image_end;
	int fd = memfd_create("rank", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("rank", MFD_CLOEXEC);
	while (fd >= 0 && at < end) {
		ssize_t n = write(fd, at, (size_t)(end - at));

		if (n < 0) {
			n = -errno;
			close(fd);
			return (int)n;
		}
		at += n;
	}
	return fd < 0 ? -errno : fd;
}

/* In the child.  Nothing of the demo's own may be inherited: every descriptor counts here. */
static _Noreturn void become_rank(int image, int rank, int nranks, int commands, int events)
{
	char name[16], own[16], local[24], world[24];
	char *argv[] = { name, NULL }, *envp[] = { own, local, world, NULL };
	sigset_t none;

	snprintf(name, sizeof(name), "rank%d", rank);
	snprintf(own, sizeof(own), "RANK=%d", rank);
	snprintf(local, sizeof(local), "LOCAL_RANK=%d", rank);
	snprintf(world, sizeof(world), "WORLD_SIZE=%d", nranks);

	commands = fcntl(commands, F_DUPFD, ABOVE_USED);
	events = fcntl(events, F_DUPFD, ABOVE_USED);
	image = fcntl(image, F_DUPFD, ABOVE_USED);
	dup2(commands, STDIN_FILENO);
	dup2(events, STDOUT_FILENO);
	dup2(image, NH_IMAGE_FD);
	close_range(NH_IMAGE_FD + 1, ~0U, 0);

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fexecve(NH_IMAGE_FD, argv, envp);
	perror("ncclhang: demo: cannot run a program from memory");
	_exit(1);
}

int nh_patient_start(int image, int rank, int nranks, int events, struct nh_patient *ret)
{
	pid_t self = getpid(), pid;
	int pipefd[2];

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		/* Ctrl-C is for the demo, which then ends the rank in its own way. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(1);
		become_rank(image, rank, nranks, pipefd[0], events);
	}
	close(pipefd[0]);
	if (pid < 0) {
		int rc = -errno;

		close(pipefd[1]);
		return rc;
	}
	setpgid(pid, pid); /* here too: whoever comes first */
	*ret = (struct nh_patient){ .pid = pid, .commands = pipefd[1] };
	return 0;
}

void nh_patient_tell(const struct nh_patient *p, int op, int port)
{
	struct nh_demo_command cmd = { .op = op, .port = port };

	/* A dead reader would answer with SIGPIPE, which is for stdout's reader alone. */
	if (!nh_patient_ended(p))
		(void)!write(p->commands, &cmd, sizeof(cmd));
}

bool nh_patient_ended(const struct nh_patient *p)
{
	siginfo_t info = { .si_pid = 0 };

	return p->pid && !waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == p->pid;
}

void nh_patient_end(struct nh_patient *p)
{
	if (!p->pid)
		return;
	kill(-p->pid, SIGKILL);
	while (waitpid(-p->pid, NULL, 0) > 0 || errno == EINTR)
		;
	close(p->commands);
	*p = (struct nh_patient){ 0 };
}
