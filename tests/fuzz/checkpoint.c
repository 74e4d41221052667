/* A checkpoint file, and the same bytes as .metadata of a directory → rows → rules. */
#include "replay.h"
#include "records/checkpoint.h"
#include "evidence/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int put(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n <= 0)
			return -1;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nh_arena a = { 0 };
	struct nh_case c = { .arena = &a };
	int fd = memfd_create("checkpoint", MFD_CLOEXEC);
	char dir[] = "/tmp/nh-fuzz-XXXXXX", path[64];
	struct nh_err err;

	nh_checkpoint_is((const char *)data, size);
	if (fd < 0 || put(fd, data, size))
		abort();
	nh_checkpoint_file(&c, "checkpoint.pt", fd, &err);
	close(fd);
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/.metadata", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || put(fd, data, size))
		abort();
	close(fd);
	nh_checkpoint_dir(&c, dir, &err);
	unlink(path);
	rmdir(dir);
	nh_checkpoint_analyse(&c);
	nh_arena_free(&a);
	return 0;
}
