#include "collect/mark.h"

#include <string.h>
#include <sys/mman.h>

struct nh_mark *nh_mark_new(void)
{
	void *m = mmap(NULL, sizeof(struct nh_mark), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

void nh_mark_free(struct nh_mark *m)
{
	if (m)
		munmap(m, sizeof(*m));
}

bool nh_mark_is_memory(const char *what)
{
	static const char *const words[] = { "cmdline", "environ", "maps", "mapped files", "memory",
		"stacks", "symbols" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], what))
			return true;
	return false;
}

bool nh_mark_begin(struct nh_mark *m, int64_t pid, const char *what)
{
	m->pid = pid;
	m->what = what;
	m->step++;
	for (int i = 0; i < m->nskip; i++)
		if (m->skip[i].pid == pid &&
			(!strcmp(m->skip[i].what, what) ||
				(nh_mark_is_memory(what) && nh_mark_is_memory(m->skip[i].what))))
			return false;
	return true;
}

void nh_mark_idle(struct nh_mark *m)
{
	m->what = NULL;
	m->step++;
}
