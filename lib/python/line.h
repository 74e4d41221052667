/* Line tables of code objects: from an instruction to the line of the source. */
#ifndef NH_PYTHON_LINE_H
#define NH_PYTHON_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The line of the instruction `at` of a function that begins at line `first`, by its table of n
 * bytes: co_lnotab to 3.9 (at is in bytes), co_linetable from 3.10 on (in units of two bytes; see
 * Objects/lnotab_notes.txt, from 3.11 Objects/locations.md).  -1: the instruction has no line, or
 * the table ends before it.
 */
int64_t nh_py_line(int minor, const unsigned char *table, size_t n, int64_t first, int64_t at);

#endif
