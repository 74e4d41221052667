/*
 * Every fuzz target is a libFuzzer function; -DLIBFUZZER leaves main() to libFuzzer
 * (clang -fsanitize=fuzzer).  Without it this main() replays the files named as arguments, each in
 * a heap block of exactly its size, so that a sanitizer sees every byte read past the end.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef LIBFUZZER
#include <stdio.h>
#include <stdlib.h>

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;

	if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0) {
		rewind(f);
		data = malloc((size_t)size);
		if (size && (!data || fread(data, (size_t)size, 1, f) != 1))
			size = -1;
	}
	if (f)
		fclose(f);
	if (size >= 0)
		LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return size >= 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++) {
		int good = replay(argv[i]);

		printf("%s %d - %s\n", good ? "ok" : "not ok", i, argv[i]);
		bad += !good;
	}
	printf("1..%d\n", argc - 1);
	return bad != 0;
}
#endif

#endif
