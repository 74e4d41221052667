#include "tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/vec.h"

enum { MANY = 5000 };

static int zeroed(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return 0;
	return 1;
}

static void blocks(struct nh_arena *a)
{
	char *small = nh_new(a, char, 3);
	char *next = nh_new(a, char, 40);
	char *large = nh_new(a, char, 1 << 20);
	char *after = nh_new(a, char, 1);

	ok(small && zeroed(small, 3) && zeroed(next, 40) && zeroed(large, 1 << 20));
	ok((uintptr_t)small % 16 == 0 && (uintptr_t)next % 16 == 0 && (uintptr_t)after % 16 == 0);
	memset(next, 1, 40);
	memset(large, 1, 1 << 20);
	ok(zeroed(small, 3) && zeroed(after, 1));
	ok(nh_arena_alloc(a, 0, 8) != NULL);
	ok(a->bytes >= (1 << 20) + 44);
}

static void strings(struct nh_arena *a)
{
	char *page = nh_arena_printf(a, "%0300d.", 7);

	is(nh_arena_strndup(a, "abcdef", 3), "abc");
	is(nh_arena_strdup(a, ""), "");
	ok(!nh_arena_strdup(a, NULL));
	is(nh_arena_printf(a, "%s=%d", "pid", 4711), "pid=4711");
	ok(strlen(page) == 301 && page[299] == '7' && page[300] == '.');
}

static void vectors(struct nh_arena *a)
{
	NH_VEC(int64_t) numbers = { 0 };
	NH_VEC(struct { char c[24]; }) rows = { 0 };
	int64_t sum = 0;
	int visits = 0;

	nh_for(n, &numbers)
		sum += *n;
	ok(sum == 0);
	for (int i = 0; i < MANY; i++) {
		*nh_push(a, &numbers) = i;
		visits += zeroed(nh_push(a, &rows)->c, 24);
		memset(rows.v[i].c, 'x', 24);
	}
	ok(numbers.n == MANY && rows.n == MANY && visits == MANY);
	nh_for(n, &numbers)
		sum += *n;
	ok(sum == (int64_t)MANY * (MANY - 1) / 2);
	ok(numbers.v[0] == 0 && numbers.v[MANY - 1] == MANY - 1);
}

/* More than there can be must end the program with 70, not wrap around to a small block. */
static void exhaustion(void)
{
	struct nh_arena a = { 0 };
	volatile size_t huge = SIZE_MAX / 2; /* or the compiler sees it coming */
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		fclose(stderr);
		nh_arena_alloc(&a, huge, 4);
		_exit(0);
	}
	ok(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 70);
}

int main(void)
{
	struct nh_arena a = { 0 };

	nh_arena_free(&a);
	blocks(&a);
	strings(&a);
	vectors(&a);
	nh_arena_free(&a);
	ok(!a.head && !a.bytes);
	nh_arena_free(&a);
	exhaustion();
	return done();
}
