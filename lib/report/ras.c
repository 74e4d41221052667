#include "base/str.h"
#include "report/words.h"

#define LINES_SHOWN 40

/* As it was answered: its tables are wide, and cut rather than wrapped. */
static void answer(struct nh_doc *d, const struct nh_view *v, const struct nh_case *c)
{
	const char *address = NULL;
	size_t shown = 0, more = 0;

	nh_for(r, &c->ras) {
		if (!nh_streq(r->address, address)) {
			address = r->address;
			nh_doc_detail(d, "What NCCL's RAS answered at %s%s%s",
				address ? address : "?", v->n > 1 ? " on " : "",
				v->n > 1 && c->host ? c->host : "");
		}
		if (!r->text || !*r->text)
			continue;
		if (v->all || shown < LINES_SHOWN)
			nh_doc_add(d, NH_B_LINE, r->text);
		else
			more++;
		shown++;
	}
	if (more)
		nh_doc_printf(d, NH_B_PARA, "%zu lines more (--all shows them)", more);
}

void nh_words_ras(struct nh_doc *d, const struct nh_view *v)
{
	for (size_t i = 0; i < v->n; i++)
		answer(d, v, v->cases[i]);
}
