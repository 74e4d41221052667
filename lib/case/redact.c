#include "case/redact.h"

#include "case/words.h"

/* What is done with one string of a field; returns it or its replacement. */
typedef const char *(change_fn)(struct nh_words *w, const struct nh_field *f, const char *s);

static void each_string(
	struct nh_words *w, const struct nh_type *type, void *row, change_fn *change)
{
	for (const struct nh_field *f = type->fields; f->name; f++) {
		void *p = (char *)row + f->offset;
		struct nh_vec *list = p;

		if (f->kind == NH_F_STR && *(const char **)p)
			*(const char **)p = change(w, f, *(const char **)p);
		else if (f->kind == NH_F_ROW && *(void **)p)
			each_string(w, f->type, *(void **)p, change);
		else if (f->kind == NH_F_STRS)
			for (size_t i = 0; i < list->n; i++)
				((const char **)list->v)[i] =
					change(w, f, ((const char **)list->v)[i]);
		else if (f->kind == NH_F_ROWS)
			for (size_t i = 0; i < list->n; i++)
				each_string(
					w, f->type, (char *)list->v + i * f->type->size, change);
	}
}

static const char *keep(struct nh_words *w, const struct nh_field *f, const char *s)
{
	if (f->privacy == NH_P_OPEN)
		nh_words_keep(w, s);
	return s;
}

/* Whole values before those that may quote them. */
static const char *replace_names(struct nh_words *w, const struct nh_field *f, const char *s)
{
	switch (f->privacy) {
	case NH_P_SECRET:
		return nh_words_secret(w, f->name, s);
	case NH_P_PATH:
		return nh_words_path(w, s);
	case NH_P_ADDRESS:
		return nh_words_address(w, s);
	default:
		return s;
	}
}

static const char *replace_texts(struct nh_words *w, const struct nh_field *f, const char *s)
{
	switch (f->privacy) {
	case NH_P_COMMAND:
		return nh_words_command(w, s);
	case NH_P_ENV:
		return nh_words_env(w, s);
	default:
		return s;
	}
}

static const char *replace_prose(struct nh_words *w, const struct nh_field *f, const char *s)
{
	return f->privacy == NH_P_PROSE ? nh_words_prose(w, s) : s;
}

static void each_string_of_case(struct nh_words *w, struct nh_case *c, change_fn *change)
{
	each_string(w, &nh_case_header_type, c, change);
	each_string(w, &nh_verdict_type, &c->verdict, change);
	each_string(w, &nh_case_tables_type, c, change);
}

void nh_case_redact(struct nh_case *c)
{
	struct nh_words w = { .a = c->arena };

	each_string_of_case(&w, c, keep);
	each_string_of_case(&w, c, replace_names);
	each_string_of_case(&w, c, replace_texts);
	nh_words_sort(&w);
	each_string_of_case(&w, c, replace_prose);
}
