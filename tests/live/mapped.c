/* Maps the libraries named on its command line, says so, and waits until its input ends. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char c;

	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL)) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	printf("pid=%d\n", (int)getpid());
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
