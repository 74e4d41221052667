/*
 * A crowded host for the benchmark: PROCESSES children with DESCRIPTORS each, a third sockets, a
 * third pipes, a third files.  Prints "ready" and ends, with its children, when its input does.
 *
 *	manyfds PROCESSES DESCRIPTORS
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void open_many(int n)
{
	int pair[2];

	for (int i = 0; i < n; i += 6) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(pair))
			err(1, "socketpair, pipe");
		for (int k = 0; k < 2; k++)
			if (open("/dev/null", O_RDONLY) < 0)
				err(1, "/dev/null");
	}
}

int main(int argc, char **argv)
{
	int processes = argc > 2 ? atoi(argv[1]) : 0, each = argc > 2 ? atoi(argv[2]) : 0;
	struct rlimit most = { (rlim_t)each + 64, (rlim_t)each + 64 };
	int ready[2];
	char c;

	if (processes < 1 || each < 1)
		errx(2, "usage: manyfds PROCESSES DESCRIPTORS");
	if (setrlimit(RLIMIT_NOFILE, &most) || pipe(ready))
		err(1, "limit of %d descriptors", each);
	for (int i = 0; i < processes; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		open_many(each);
		if (write(ready[1], "x", 1) != 1)
			return 1;
		for (;;)
			pause();
	}
	close(ready[1]);
	for (int i = 0; i < processes; i++)
		if (read(ready[0], &c, 1) != 1)
			errx(1, "a child failed");
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}
