#include "report/doc.h"

#include <ctype.h>
#include <string.h>
#include "report/cells.h"
#include "report/mermaid.h"
#include "report/words.h"

/* GitHub takes 65,536 characters in a comment; with the note about what was left out. */
#define BUDGET 60000
#define NOTE_MAX 200

struct pen {
	FILE *f;
	struct nh_arena *a;
	size_t left; /* bytes that may still be written */
	size_t lost; /* pieces that found no room */
	bool folded; /* a <details> is open */
};

#define FOLD_END "\n</details>\n"

/* A piece is written whole or not at all, so that a fence or a row is never cut. */
static bool put(struct pen *p, const char *s)
{
	size_t n = strlen(s);

	if (n > p->left) {
		p->lost++;
		return false;
	}
	p->left -= n;
	fputs(s, p->f);
	return true;
}

/* Where a forge would make a mention, an issue's number or a link of it: behind the character that
 * an invisible one must follow. */
static bool makes_link(const char *start, const char *s)
{
	if (*s == '@' || *s == '#')
		return isalnum((unsigned char)s[1]);
	if (*s == ':')
		return s[1] == '/' && s[2] == '/';
	return s[1] == '.' && s - start >= 2 && !strncasecmp(s - 2, "www", 3);
}

static bool inside_word(const char *start, const char *s)
{
	return s > start && isalnum((unsigned char)s[-1]) && isalnum((unsigned char)s[1]);
}

/* s as text that no renderer takes for markup; special: what a backslash is put before. */
static const char *escape(struct nh_arena *a, const char *start, const char *special)
{
	/* At most "&#8203;" behind each character, "&amp;" for it. */
	char *text = nh_new(a, char, strlen(start) * 13 + 1), *to = text;

	for (const char *s = start; *s; s++) {
		bool leads = s == start && *special && strchr("-+=>#", *s);

		if (*s == '<' || *s == '&') {
			to = stpcpy(to, *s == '<' ? "&lt;" : "&amp;");
			continue;
		}
		if (leads || (strchr(special, *s) && !(*s == '_' && inside_word(start, s))))
			*to++ = '\\';
		*to++ = *s;
		if (makes_link(start, s))
			to = stpcpy(to, "&#8203;");
	}
	return text;
}

static const char *md(struct nh_arena *a, const char *s)
{
	return escape(a, s, "\\`*_[]|~$");
}

static size_t longest_run(const char *s, char c)
{
	size_t most = 0, run = 0;

	for (; *s; s++) {
		run = *s == c ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

/* Whole lines of text in a fence longer than any run of backticks within. */
static void fenced(
	struct pen *p, const char *margin, size_t run, const char *language, const char *text)
{
	size_t n = run < 3 ? 3 : run + 1;
	char *fence = nh_new(p->a, char, n + 1);

	memset(fence, '`', n);
	put(p, nh_arena_printf(
		       p->a, "%s%s%s\n%s%s%s\n", margin, fence, language, text, margin, fence));
}

/* Indented as the item it belongs to. */
static void command(struct pen *p, enum nh_block_kind before, const char *text)
{
	const char *margin = before == NH_B_STEP ? "   " : before == NH_B_ITEM ? "  " : "";

	fenced(p, margin, longest_run(text, '`'), "sh",
		nh_arena_printf(p->a, "%s%s\n", margin, text));
}

static const char *table_line(
	struct nh_arena *a, const struct nh_block *t, const char *const *cells)
{
	const char *line = "|";

	for (size_t c = 0; c < t->ncols; c++)
		line = nh_arena_printf(a, "%s %s |", line, md(a, cells[c]));
	return nh_arena_printf(a, "%s\n", line);
}

static void table(struct pen *p, const struct nh_block *t)
{
	const char *head = t->rows.n ? table_line(p->a, t, t->rows.v[0].cells) : "";
	size_t i;

	for (size_t c = 0; c < t->ncols; c++)
		head = nh_arena_printf(p->a, "%s|%s", head, t->right >> c & 1 ? "---:" : "---");
	if (!put(p, nh_arena_printf(p->a, "%s|\n", head)))
		return;
	for (i = 1; i < t->rows.n; i++)
		if (!put(p, table_line(p->a, t, t->rows.v[i].cells)))
			break;
	/* The rows behind the first that found no room would be out of context. */
	if (i < t->rows.n)
		p->lost += t->rows.n - i - 1;
}

/* The path that begins at block i: a picture, and every arrow with what was read. */
static size_t path(struct pen *p, const struct nh_doc *d, size_t i)
{
	static const char *const heads[] = { "waits", "", "for", "as was read", NULL };
	struct nh_doc rows = { .arena = p->a };
	struct nh_block *t = nh_doc_table(&rows, 0, heads);
	size_t end = i;

	while (end < d->blocks.n &&
		(d->blocks.v[end].kind == NH_B_NODE || d->blocks.v[end].kind == NH_B_ARROW))
		end++;
	put(p, nh_arena_printf(p->a, "```mermaid\n%s```\n\n", nh_mermaid(p->a, d, i, end)));
	for (size_t b = i + 1; b + 1 < end; b++) {
		const struct nh_block *arrow = &d->blocks.v[b];
		struct nh_row *row;

		if (arrow->kind != NH_B_ARROW)
			continue;
		row = nh_doc_row(&rows, t);
		row->cells[0] = arrow[-1].text;
		row->cells[1] = arrow->term;
		row->cells[2] = arrow[1].text;
		row->cells[3] = arrow->dotted && *arrow->text
					? nh_arena_printf(p->a, "%s (inferred)", arrow->text)
				: arrow->dotted ? "inferred"
						: arrow->text;
	}
	table(p, t);
	return end;
}

static void unfold(struct pen *p)
{
	if (p->folded)
		fputs(FOLD_END, p->f);
	p->folded = false;
}

/* A heading; one of a detail opens a fold, whose end has its room reserved. */
static void heading(struct pen *p, const struct nh_block *b)
{
	const char *text;

	if (!b->detail) {
		put(p, nh_arena_printf(p->a, "### %s\n", md(p->a, b->text)));
		return;
	}
	text = nh_arena_printf(
		p->a, "<details>\n<summary>%s</summary>\n", escape(p->a, b->text, ""));
	if (p->left < sizeof(FOLD_END)) {
		p->lost++;
		return;
	}
	p->left -= sizeof(FOLD_END);
	p->folded = put(p, text);
}

static void definition(struct pen *p, const struct nh_block *b)
{
	const char *text = md(p->a, b->text);

	put(p, *b->term ? nh_arena_printf(p->a, "- **%s**: %s\n", md(p->a, b->term), text)
			: nh_arena_printf(p->a, "- %s\n", text));
}

/* Lines that keep their shape, in one fence. */
static size_t lines(struct pen *p, const struct nh_doc *d, size_t i)
{
	const char *text = "";
	size_t run = 0;

	for (; i < d->blocks.n && d->blocks.v[i].kind == NH_B_LINE; i++) {
		size_t ticks = longest_run(d->blocks.v[i].text, '`');

		text = nh_arena_printf(p->a, "%s%s\n", text, d->blocks.v[i].text);
		run = ticks > run ? ticks : run;
	}
	fenced(p, "", run, "text", text);
	return i;
}

/* Writes the block at i; returns the place of the next. */
static size_t block(struct pen *p, const struct nh_doc *d, size_t i)
{
	const struct nh_block *b = &d->blocks.v[i];

	switch (b->kind) {
	case NH_B_TITLE:
		put(p, nh_arena_printf(p->a, "## %s\n", md(p->a, b->text)));
		break;
	case NH_B_HEADING:
		heading(p, b);
		break;
	case NH_B_PARA:
		put(p, nh_arena_printf(p->a, "%s\n", md(p->a, b->text)));
		break;
	case NH_B_ITEM:
		put(p, nh_arena_printf(p->a, "- %s\n", md(p->a, b->text)));
		break;
	case NH_B_STEP:
		put(p, nh_arena_printf(p->a, "%s. %s\n", b->term, md(p->a, b->text)));
		break;
	case NH_B_DEF:
		definition(p, b);
		break;
	case NH_B_COMMAND:
		command(p, i ? b[-1].kind : NH_B_PARA, b->text);
		break;
	case NH_B_TABLE:
		table(p, b);
		break;
	case NH_B_LINE:
		return lines(p, d, i);
	case NH_B_NODE:
	case NH_B_ARROW:
		return path(p, d, i);
	}
	return i + 1;
}

/* Neighbours that make one list. */
static bool joined(enum nh_block_kind before, enum nh_block_kind b)
{
	if (b == NH_B_COMMAND)
		return before == NH_B_ITEM || before == NH_B_STEP;
	if (before == NH_B_COMMAND)
		return b == NH_B_ITEM || b == NH_B_STEP;
	return before == b && (b == NH_B_ITEM || b == NH_B_STEP || b == NH_B_DEF);
}

void nh_doc_markdown(FILE *f, const struct nh_doc *d, const struct nh_report_opts *opts)
{
	struct nh_arena scratch = { 0 };
	struct pen p = { .f = f, .a = &scratch, .left = opts->all ? SIZE_MAX : BUDGET - NOTE_MAX };

	for (size_t i = 0, next; i < d->blocks.n; i = next) {
		enum nh_block_kind kind = d->blocks.v[i].kind;

		if (kind == NH_B_HEADING || kind == NH_B_TITLE)
			unfold(&p);
		if (i && p.left && !joined(d->blocks.v[i - 1].kind, kind))
			put(&p, "\n");
		next = block(&p, d, i);
	}
	unfold(&p);
	if (p.lost)
		fprintf(f,
			"\nLeft out, to stay under %d KB: %zu rows or paragraphs. The case has "
			"them; `ncclhang report --all` prints them.\n",
			BUDGET / 1000, p.lost);
	nh_arena_free(&scratch);
}
