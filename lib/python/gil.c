#include "python/gil.h"

size_t nh_py_gil_holder(const struct nh_py_state *st, const struct nh_py_interp *in)
{
	if (!in->gil || !in->locked)
		return NH_PY_NO_TASK;
	nh_for(t, &st->threads)
		if (t->addr == in->holder)
			return t->task;
	return NH_PY_NO_TASK;
}

bool nh_py_gil_wanted(const struct nh_py_interp *in, uint64_t futex)
{
	return in->gil && futex >= in->gil + NH_PY_GIL_COND && futex < in->gil + NH_PY_GIL_END;
}
