/*
 * VERBOSE STATUS of NCCL 2.24 and newer (ras/client_support.cc): headings underlined by '=', and
 * below "Errors" and "Warnings" entries whose first line begins at the margin, such as
 *	#0-0 (cf264af53edbe986) INCOMPLETE
 *	  Missing communicator data from 1 rank
 */
#include "rules/nccl_ras.h"

#include <string.h>
#include "rules/rule.h"
#include "base/str.h"

enum { ENTRIES_MAX = 8, DETAILS_MAX = 6 };

struct reader {
	struct nh_arena *a;
	struct nh_finding *f;
	const char *address, *entry;
	int entries, details;
	bool complaints; /* inside one of the two sections */
};

static void end_entry(struct reader *r)
{
	if (r->entry && r->entries++ < ENTRIES_MAX)
		nh_tell_evidence(r->a, r->f, "RAS at %s: %s", r->address, r->entry);
	r->entry = NULL;
}

static void take_line(struct reader *r, const char *text, bool heading)
{
	if (heading) {
		end_entry(r);
		r->complaints = !strcmp(text, "Errors") || !strcmp(text, "Warnings");
	} else if (r->complaints && *text == ' ' && r->entry) {
		if (++r->details <= DETAILS_MAX)
			r->entry = nh_arena_printf(r->a, "%s%s %s", r->entry,
				r->details > 1 ? ";" : ":", text + strspn(text, " "));
	} else if (r->complaints && *text && *text != '=' && *text != ' ') {
		end_entry(r);
		r->entry = text;
		r->details = 0;
	}
}

void nh_nccl_tell_ras(struct nh_arena *a, const struct nh_case *c, struct nh_finding *f)
{
	struct reader r = { .a = a, .f = f };

	for (size_t i = 0; i < c->ras.n; i++) {
		const struct nh_ras *row = &c->ras.v[i];
		bool more = i + 1 < c->ras.n && row[1].text;

		if (!nh_streq(row->address, r.address)) {
			end_entry(&r);
			r.complaints = false;
			r.address = row->address ? row->address : "?";
		}
		if (row->text)
			take_line(&r, row->text, more && nh_starts_with(row[1].text, "==="));
	}
	end_entry(&r);
	if (c->ras.n && !r.entries)
		nh_tell_evidence(a, f, "RAS at %s names no errors and no warnings", r.address);
	else if (r.entries > ENTRIES_MAX)
		nh_tell_evidence(a, f, "RAS names %d more", r.entries - ENTRIES_MAX);
}
