#include "graph/interpreter.h"

const struct nh_interpreter *nh_gil_held_by(const struct nh_index *ix, const struct nh_thread *t)
{
	nh_for(in, &ix->c->interpreters)
		if (in->sample == ix->sample && in->pid == t->pid && in->locked &&
			in->holder == t->tid)
			return in;
	return NULL;
}

const struct nh_interpreter *nh_gil_wanted_by(const struct nh_index *ix, const struct nh_thread *t)
{
	nh_for(in, &ix->c->interpreters) {
		if (in->sample != ix->sample || in->pid != t->pid || !in->locked)
			continue;
		nh_for(tid, &in->waiters)
			if (*tid == t->tid)
				return in;
	}
	return NULL;
}

const struct nh_interpreter *nh_interpreter_elsewhen(
	const struct nh_index *ix, const struct nh_interpreter *in)
{
	nh_for(old, &ix->c->interpreters)
		if (old->sample != in->sample && old->pid == in->pid && old->id == in->id)
			return old;
	return NULL;
}

bool nh_gil_stands_still(const struct nh_index *ix, const struct nh_interpreter *in)
{
	const struct nh_interpreter *old = nh_interpreter_elsewhen(ix, in);

	return !old || (old->locked && in->locked && in->holder != NH_UNKNOWN &&
			       old->holder == in->holder && in->switches != NH_UNKNOWN &&
			       old->switches == in->switches);
}
