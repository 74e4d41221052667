#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/str.h"
#include "python/object.h"
#include "stack/export.h"

/* Data segments beyond this are not searched for the cookie. */
#define SCAN_MAX (64U << 20)
#define SCAN_CHUNK (1U << 20)

static bool named_python(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *base = slash ? slash + 1 : path;

	return memmem(base, len - (size_t)(base - path), "python", 6);
}

/* PY_VERSION_HEX as `python --version` prints it. */
static const char *version_text(struct nh_arena *a, uint32_t hex)
{
	static const char *const level[16] = { [0xa] = "a", [0xb] = "b", [0xc] = "rc" };
	const char *pre = level[hex >> 4 & 15];

	return nh_arena_printf(a, "%u.%u.%u%s%.*u", hex >> 24, hex >> 16 & 255, hex >> 8 & 255,
		pre ? pre : "", pre ? 1 : 0, pre ? hex & 15 : 0);
}

/* Before 3.11 no symbol tells the version; what is exported does. */
static int minor_by_exports(struct nh_space *s, const struct nh_image *image)
{
	static const struct {
		const char *name;
		int minor;
	} since[] = { { "Py_Is", 10 }, { "PyObject_CallNoArgs", 9 },
		{ "PyConfig_InitPythonConfig", 8 } };

	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++)
		if (nh_export_find(s, image, since[i].name))
			return since[i].minor;
	return 0;
}

static int refuse(struct nh_python *py, const char *why)
{
	py->why = nh_arena_printf(py->arena, "CPython %s in %s: %s",
		py->version ? py->version : "of an unknown version", py->image, why);
	return -ENOTSUP;
}

static int use_published(struct nh_python *py)
{
	unsigned char bytes[NH_PY_DEBUG_BYTES];
	uint32_t hex = 0;
	int rc;

	if (!nh_py_read(py, py->runtime, bytes, sizeof(bytes)))
		return -ENOENT;
	rc = nh_py_published(bytes, &py->layout, &hex);
	if (hex)
		py->version = version_text(py->arena, hex);
	if (rc == -ENOSYS)
		return refuse(py, "a free-threaded build, whose stacks are not read");
	if (rc == -ENOTSUP)
		return refuse(py, "its layout is not known here");
	return rc;
}

/* 3.8 to 3.12 have to tell their version, and have to look as that version does. */
static int use_table(struct nh_python *py, const struct nh_image *image)
{
	uint64_t at = nh_export_find(py->space, image, "Py_Version");
	uint32_t hex = 0;
	int minor;

	if (at && nh_py_read(py, at, &hex, sizeof(hex))) {
		minor = hex >> 24 == 3 ? (int)(hex >> 16 & 255) : 0;
		py->version = version_text(py->arena, hex);
	} else {
		minor = minor_by_exports(py->space, image);
		if (minor)
			py->version = nh_arena_printf(py->arena, "3.%d", minor);
	}
	if (nh_py_layout(minor, &py->layout))
		return refuse(py, "its layout is not known here");
	return 0;
}

/* 0, -ENOENT: not here, -ENOTSUP. */
static int try_image(struct nh_python *py, const struct nh_image *image)
{
	uint64_t interps;
	int rc;

	py->runtime = nh_export_find(py->space, image, "_PyRuntime");
	py->image = image->path;
	py->version = NULL;
	if (!py->runtime) {
		if (!named_python(image->path, strlen(image->path)) ||
			!nh_export_find(py->space, image, "Py_Initialize"))
			return -ENOENT;
		return refuse(py, "older than 3.7");
	}
	rc = use_published(py);
	if (rc == -ENOENT)
		rc = use_table(py, image);
	if (rc)
		return rc;
	if (!nh_py_word(py, py->runtime + py->layout.at[NH_PY_RUNTIME_INTERPRETERS], &interps) ||
		!interps)
		return refuse(py, "it has no interpreter, yet or any more");
	return 0;
}

/* Whether a further image has a runtime of its own; those named after Python only. */
static void note_others(struct nh_python *py, const struct nh_image *after)
{
	const struct nh_image *end = py->space->images.v + py->space->images.n;

	for (const struct nh_image *i = after + 1; i < end && !py->others; i++)
		py->others = named_python(i->path, strlen(i->path)) &&
			     nh_export_find(py->space, i, "_PyRuntime");
}

/* The usual names first: most processes are settled with one or two look-ups. */
static int try_images(struct nh_python *py)
{
	int refused = -ENOENT;

	for (int named = 1; named >= 0; named--)
		nh_for(i, &py->space->images) {
			struct nh_python try = *py;
			int rc;

			if (named_python(i->path, strlen(i->path)) != named)
				continue;
			rc = try_image(&try, i);
			if (!rc) {
				*py = try;
				note_others(py, i);
				return 0;
			}
			if (rc == -ENOTSUP && refused != rc) {
				refused = rc;
				py->why = try.why;
			}
		}
	return refused;
}

static int scan_map(struct nh_python *py, const struct nh_map *map, unsigned char *buf)
{
	for (uint64_t at = map->start; at < map->end; at += SCAN_CHUNK) {
		size_t n = map->end - at < SCAN_CHUNK ? map->end - at : SCAN_CHUNK;

		if (!nh_py_read(py, at, buf, n))
			return -ENOENT;
		for (size_t i = 0; i + 8 <= n; i += 8) {
			int rc;

			if (memcmp(buf + i, NH_PY_COOKIE, 8) != 0)
				continue;
			py->runtime = at + i;
			py->image = nh_utf8_repair(py->arena, map->path, map->path_len);
			rc = use_published(py);
			if (rc != -ENOENT)
				return rc;
		}
	}
	return -ENOENT;
}

/* The data segments of the program and of what is named after Python. */
static int scan_maps(struct nh_python *py, unsigned char *buf)
{
	struct stat exe;
	int rc = -ENOENT;

	if (fstatat(py->space->mem.dir, "exe", &exe, 0))
		exe.st_ino = 0;
	nh_for(m, &py->space->maps) {
		if (m->perms[1] != 'w' || !m->inode || m->end - m->start > SCAN_MAX)
			continue;
		if (m->inode != exe.st_ino && !named_python(m->path, m->path_len))
			continue;
		rc = scan_map(py, m, buf);
		if (rc != -ENOENT)
			break;
	}
	return rc;
}

/* From 3.13 on the runtime marks itself: for programs that export nothing. */
static int try_cookie(struct nh_python *py)
{
	unsigned char *buf = malloc(SCAN_CHUNK);
	int rc = buf ? scan_maps(py, buf) : -ENOMEM;

	free(buf);
	return rc;
}

int nh_py_find(struct nh_space *s, struct nh_arena *a, struct nh_python *ret)
{
	int rc;

	*ret = (struct nh_python){ .space = s, .arena = a };
	if (s->foreign && !s->images.n) {
		nh_for(m, &s->maps)
			if (named_python(m->path, m->path_len)) {
				ret->why = "a 32-bit CPython, whose layout is not known here";
				return -ENOTSUP;
			}
		return -ENOENT;
	}
	rc = try_images(ret);
	return rc == -ENOENT ? try_cookie(ret) : rc;
}
