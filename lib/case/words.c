#include "case/words.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "case/encode.h"

static const char digits[] = "0123456789";

static const char *known(struct nh_words *w, const char *s)
{
	return nh_map_at(w->a, &w->map, s, strlen(s))->value;
}

static const char *learn(struct nh_words *w, const char *from, const char *to)
{
	struct nh_map_entry *e = nh_map_at(w->a, &w->map, from, strlen(from));

	e->value = (void *)to;
	if (strcmp(from, to) != 0)
		*nh_push(w->a, &w->list) = (struct nh_word){ e->key, to };
	return to;
}

void nh_words_keep(struct nh_words *w, const char *s)
{
	struct nh_map_entry *e = nh_map_at(w->a, &w->map, s, strlen(s));

	e->value = (void *)e->key;
}

const char *nh_words_secret(struct nh_words *w, const char *name, const char *s)
{
	const char *to = known(w, s);

	if (!*s || (to && strcmp(to, s) != 0))
		return *s ? to : s;
	return learn(w, s, nh_arena_printf(w->a, "%s-%zu", name, ++w->tokens));
}

/* Whole below these: the same on every machine. */
static const char *const system_dirs[] = { "/bin/", "/dev/nvidia", "/dev/null", "/dev/pts/",
	"/dev/infiniband/", "/lib/", "/lib64/", "/proc/", "/sbin/", "/sys/", "/usr/bin/",
	"/usr/lib/", "/usr/lib64/", "/usr/libexec/", "/usr/local/cuda", "/usr/sbin/", "/usr/share/",
	NULL };
/* Parts of a path that tell nothing of their user, and some that rules look for. */
static const char *const system_names[] = { "", ".cache", "bin", "dev", "dist-packages", "docker",
	"etc", "home", "init.scope", "kubepods", "kubepods.slice", "lib", "lib64", "local", "lock",
	"lxc", "machine.slice", "mnt", "nccl", "nvidia", "opt", "proc", "root", "run", "scratch",
	"session.slice", "shm", "site-packages", "slurm", "sys", "system.slice", "tmp", "torch",
	"torch_extensions", "triton", "user.slice", "usr", "var", NULL };

static bool is_system_path(const char *s)
{
	for (const char *const *dir = system_dirs; *dir; dir++)
		if (nh_starts_with(s, *dir))
			return true;
	return false;
}

static bool is_open_name(struct nh_words *w, const char *s)
{
	const char *to;

	for (const char *const *name = system_names; *name; name++)
		if (!strcmp(*name, s))
			return true;
	to = known(w, s);
	return s[strspn(s, digits)] == '\0' || strstr(s, ".so") || nh_starts_with(s, "python") ||
	       (to && !strcmp(to, s));
}

/* A file name's short suffix, "" if it has none. */
static const char *suffix_of(const char *s)
{
	const char *dot = strrchr(s, '.');

	return dot && dot > s && strlen(dot) <= 8 ? dot : "";
}

static const char *part(struct nh_words *w, const char *s)
{
	return is_open_name(w, s) ? s : nh_words_secret(w, "name", s);
}

static void add(struct nh_text *t, const char *s)
{
	nh_text_add(t, s, strlen(s));
}

const char *nh_words_path(struct nh_words *w, const char *s)
{
	const char *slash = strchr(s, '/'), *deleted = " (deleted)", *to = known(w, s);
	struct nh_text out = { .a = w->a };
	size_t n = strlen(s);

	if (to && strcmp(to, s) != 0)
		return to;
	if (!slash || is_system_path(s))
		return s;
	if (nh_ends_with(s, deleted))
		n -= strlen(deleted);
	nh_text_add(&out, s, (size_t)(slash - s));
	for (size_t i = (size_t)(slash - s), len; i < n; i += 1 + len) {
		const char *name, *new;

		len = strcspn(s + i + 1, "/");
		if (len > n - i - 1)
			len = n - i - 1;
		name = nh_arena_strndup(w->a, s + i + 1, len);
		new = part(w, name);
		add(&out, "/");
		add(&out, new);
		if (i + 1 + len == n && new != name)
			add(&out, suffix_of(name));
	}
	nh_text_add(&out, s + n, strlen(s + n) + 1);
	return learn(w, s, out.s);
}

static bool is_number(const char *s)
{
	return *s && s[strspn(s, "0123456789.,:+-e")] == '\0' && strpbrk(s, digits);
}

static bool is_loopback_or_any(int family, const unsigned char *ip)
{
	static const unsigned char any[16];

	if (family == AF_INET)
		return ip[0] == 127 || !memcmp(ip, any, 4);
	return !memcmp(ip, any, 15) && ip[15] <= 1;
}

static const char *new_v4(struct nh_words *w)
{
	size_t n = w->v4++;

	if (n < 254)
		return nh_arena_printf(w->a, "192.0.2.%zu", n + 1);
	n -= 254; /* the benchmarking block, 198.18.0.0/15, is the next larger that routes nowhere
		   */
	return nh_arena_printf(
		w->a, "198.%zu.%zu.%zu", 18 + (n >> 16) % 2, (n >> 8) % 256, n % 256);
}

/* The replacement of an address, or NULL if s is none. */
static const char *replace_ip(struct nh_words *w, const char *s)
{
	unsigned char ip[16];
	const char *to = known(w, s), *mapped = "::ffff:";

	if (inet_pton(AF_INET, s, ip) == 1) {
		if (is_loopback_or_any(AF_INET, ip))
			return s;
		return to ? to : learn(w, s, new_v4(w));
	}
	/* The other end of a mapped address may be written without the prefix. */
	if (nh_starts_with(s, mapped) && inet_pton(AF_INET, s + strlen(mapped), ip) == 1)
		return nh_arena_printf(w->a, "%s%s", mapped, replace_ip(w, s + strlen(mapped)));
	if (inet_pton(AF_INET6, s, ip) != 1)
		return NULL;
	if (is_loopback_or_any(AF_INET6, ip))
		return s;
	return to ? to : learn(w, s, nh_arena_printf(w->a, "2001:db8::%zx", ++w->v6));
}

/* The replacement of "1.2.3.4:5" or "[::1]:5", or NULL if s is not such. */
static const char *replace_endpoint(struct nh_words *w, const char *s)
{
	const char *colon = strrchr(s, ':'), *ip;
	bool v6 = *s == '[' && colon && colon > s + 1 && colon[-1] == ']';

	if (!colon)
		return NULL;
	ip = replace_ip(w, nh_arena_strndup(w->a, s + v6, (size_t)(colon - s) - 2 * v6));
	if (!ip)
		return NULL;
	return nh_arena_printf(w->a, v6 ? "[%s]%s" : "%s%s", ip, colon);
}

const char *nh_words_address(struct nh_words *w, const char *s)
{
	const char *to = replace_endpoint(w, s);

	if (to)
		return to;
	if (*s == '@')
		return nh_arena_printf(w->a, "@%s", nh_words_secret(w, "name", s + 1));
	return *s == '/' ? nh_words_path(w, s) : nh_words_secret(w, "name", s);
}

/* What else a value may be than a number: an address, a path, a word met before. */
static const char *replace_value(struct nh_words *w, const char *s)
{
	const char *to = replace_ip(w, s);

	if (!to)
		to = replace_endpoint(w, s);
	if (!to && is_number(s))
		to = s;
	if (!to && *s == '/')
		to = nh_words_path(w, s);
	return to ? to : known(w, s);
}

static const char *argument(struct nh_words *w, const char *s)
{
	size_t n = strspn(s, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	const char *to = replace_value(w, s);

	if (to)
		return to;
	if (s[0] == '-' && (s[1] == '-' || !s[1] || !s[2]) && (!s[n] || s[n] == '='))
		return s[n] ? nh_arena_printf(w->a, "%.*s=...", (int)n, s) : s;
	return "...";
}

const char *nh_words_command(struct nh_words *w, const char *s)
{
	char *words = nh_arena_strdup(w->a, s), *save = NULL;
	char *word = strtok_r(words, " ", &save), *base;
	struct nh_text out = { .a = w->a };

	if (!word)
		return s;
	base = strrchr(word, '/');
	add(&out, base ? base + 1 : word);
	while ((word = strtok_r(NULL, " ", &save))) {
		add(&out, " ");
		add(&out, argument(w, word));
	}
	nh_text_add(&out, "", 1);
	return learn(w, s, out.s);
}

const char *nh_words_env(struct nh_words *w, const char *s)
{
	const char *value = strchr(s, '='), *to;

	if (!value)
		return nh_words_secret(w, "value", s);
	value++;
	to = *value ? replace_value(w, value) : value;
	if (!to)
		to = nh_words_secret(w, "value", value);
	return nh_arena_printf(w->a, "%.*s%s", (int)(value - s), s, to);
}

static int by_word(const void *a, const void *b)
{
	return strcmp(((const struct nh_word *)a)->from, ((const struct nh_word *)b)->from);
}

void nh_words_sort(struct nh_words *w)
{
	if (w->list.n)
		qsort(w->list.v, w->list.n, sizeof(*w->list.v), by_word);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* The last word not after the n bytes at s, in the order of the list; NULL if all are. */
static const struct nh_word *last_before(const struct nh_words *w, const char *s, size_t n)
{
	size_t lo = 0, hi = w->list.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const char *word = w->list.v[mid].from;
		int order = strncmp(word, s, n);

		if (order < 0 || (!order && !word[n]))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &w->list.v[lo - 1] : NULL;
}

/*
 * The longest word that stands at s (n bytes), itself of at least three bytes; NULL if none does.
 * What sorts between a beginning of s and s begins like it, so each miss tells how long a match
 * can still be.
 */
static const struct nh_word *word_at(const struct nh_words *w, const char *s, size_t n)
{
	while (n >= 3) {
		const struct nh_word *word = last_before(w, s, n);
		size_t same = 0;

		if (!word)
			return NULL;
		while (same < n && word->from[same] == s[same])
			same++;
		if (same < 3)
			return NULL;
		if (word->from[same])
			n = same;
		else if (is_word_char(s[same - 1]) && is_word_char(s[same]))
			n = same - 1;
		else
			return word;
	}
	return NULL;
}

const char *nh_words_prose(struct nh_words *w, const char *s)
{
	struct nh_text out = { .a = w->a };
	const char *from = s, *end = s + strlen(s);

	for (const char *p = s; *p;) {
		bool inside = p > s && is_word_char(p[-1]) && is_word_char(*p);
		const struct nh_word *word = inside ? NULL : word_at(w, p, (size_t)(end - p));

		if (!word) {
			p++;
			continue;
		}
		nh_text_add(&out, from, (size_t)(p - from));
		add(&out, word->to);
		p += strlen(word->from);
		from = p;
	}
	if (from == s)
		return s;
	nh_text_add(&out, from, strlen(from) + 1);
	return out.s;
}
