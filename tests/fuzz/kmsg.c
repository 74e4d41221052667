/* Records of the kernel's log, one a line of the input. */
#include "replay.h"
#include "know/kernel_lines.h"
#include "proc/parse.h"

#include <stdlib.h>
#include <string.h>

static void inside(const struct nh_kernel_word *w, const struct nh_text *text)
{
	if (w->n && (w->s < text->s || w->s + w->n > text->s + text->n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data, *end = s + size;

	while (s < end) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));
		const char *to = newline ? newline : end;
		struct nh_kernel_line l;
		struct nh_kmsg record;

		if (!nh_parse_kmsg(s, (size_t)(to - s), &record) &&
			nh_kernel_line_of(record.text.s, record.text.n, &l)) {
			inside(&l.comm, &record.text);
			inside(&l.cgroup, &record.text);
			inside(&l.device, &record.text);
		}
		s = to + 1;
	}
	return 0;
}
