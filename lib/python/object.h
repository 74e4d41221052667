/* Python objects in the process's memory. */
#ifndef NH_PYTHON_OBJECT_H
#define NH_PYTHON_OBJECT_H

#include "python/python.h"

/* What is known of a code object: it does not change while it lives. */
struct nh_py_code {
	uint64_t addr;
	const char *func, *file;
	int64_t first; /* line of the definition */
	const unsigned char *lines;
	size_t nlines;
};

/* Reads n bytes, or a pointer; false if they are not there. */
bool nh_py_read(const struct nh_python *py, uint64_t addr, void *dst, size_t n);
bool nh_py_word(const struct nh_python *py, uint64_t addr, uint64_t *ret);

/* A str object as UTF-8 in the arena, cut at NH_PY_TEXT_MAX characters; NULL if it is none. */
#define NH_PY_TEXT_MAX 4096
const char *nh_py_text(const struct nh_python *py, uint64_t addr);

/* Characters of 1, 2 or 4 bytes (Latin-1, UCS-2, UCS-4) as valid UTF-8. */
const char *nh_py_utf8(struct nh_arena *a, const void *chars, size_t n, unsigned width);

/* The code object at addr, NULL if it is none. */
const struct nh_py_code *nh_py_code(struct nh_python *py, uint64_t addr);

#endif
