/* The program the demo embeds: a rank that does as it is told, and the helper it forks. */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "comm.h"

static int own_rank(void)
{
	const char *rank = getenv("RANK");

	return rank ? (int)strtol(rank, NULL, 10) : 0;
}

void trace(struct nh_demo_event ev)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ev.ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	ev.rank = own_rank();
	ev.pid = getpid();
	/* The pipe does not block: a demo that stopped listening loses words, the scene stays. */
	(void)!write(STDOUT_FILENO, &ev, sizeof(ev));
}

int must(int ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
	return ret;
}

/* Holds what it inherited and does nothing. */
static _Noreturn void helper(void)
{
	prctl(PR_SET_NAME, NH_HELPER_NAME);
	trace((struct nh_demo_event){ .kind = NH_EV_HELPER });
	for (;;)
		pause();
}

static void fork_helper(bool exec)
{
	char *argv[] = { (char[]){ NH_HELPER_NAME }, NULL };
	pid_t rank = getpid();

	if (must(fork(), "fork") > 0)
		return;
	/* Nothing may outlive the demo: it takes the rank along, the rank takes the helper. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != rank)
		_exit(0);
	if (exec) {
		fexecve(NH_IMAGE_FD, argv, environ);
		err(1, "exec");
	}
	helper();
}

static void obey(struct ncclComm *comm, const struct nh_demo_command *cmd)
{
	switch (cmd->op) {
	case NH_OP_INIT:
		ncclCommInitRank(comm);
		break;
	case NH_OP_CONNECT:
		trace((struct nh_demo_event){
			.kind = NH_EV_CONNECTED, .fd = ncclProxyConnect(comm, cmd->port) });
		break;
	case NH_OP_FORK:
	case NH_OP_EXEC:
		fork_helper(cmd->op == NH_OP_EXEC);
		break;
	case NH_OP_UNREAD:
		trace((struct nh_demo_event){
			.kind = NH_EV_UNREAD, .fd = ncclProxyLeaveUnread(comm) });
		break;
	case NH_OP_ABORT:
	case NH_OP_SHUTDOWN:
		ncclCommAbort(comm, cmd->op == NH_OP_SHUTDOWN);
		break;
	case NH_OP_DESTROY:
		ncclCommDestroy(comm);
		break;
	}
}

int main(int argc, char **argv)
{
	struct ncclComm comm = { 0 };
	struct nh_demo_command cmd;

	if (argc > 0 && !strcmp(argv[0], NH_HELPER_NAME))
		helper();
	prctl(PR_SET_NAME, argv[0]);
	/* A killed helper leaves no zombie behind while the rank hangs. */
	signal(SIGCHLD, SIG_IGN);
	while (read(STDIN_FILENO, &cmd, sizeof(cmd)) == sizeof(cmd))
		obey(&comm, &cmd);
	return 0;
}
