/* CPython's global lock as the interpreter rows of the case tell it. */
#ifndef NH_GRAPH_INTERPRETER_H
#define NH_GRAPH_INTERPRETER_H

#include "model/index.h"

/* The interpreter, in the index's sample, whose GIL the thread holds or wants; NULL = none. */
const struct nh_interpreter *nh_gil_held_by(const struct nh_index *ix, const struct nh_thread *t);
const struct nh_interpreter *nh_gil_wanted_by(const struct nh_index *ix, const struct nh_thread *t);
/* The same interpreter in the other sample; NULL where it was not read. */
const struct nh_interpreter *nh_interpreter_elsewhen(
	const struct nh_index *ix, const struct nh_interpreter *in);
/* Whether the other sample shows the same holder, and the GIL did not change hands in between;
 * true as well where it was not read there. */
bool nh_gil_stands_still(const struct nh_index *ix, const struct nh_interpreter *in);

#endif
