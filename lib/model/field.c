#include "model/field.h"

void nh_row_init(const struct nh_type *type, void *row)
{
	for (const struct nh_field *f = type->fields; f->name; f++)
		if (f->kind == NH_F_INT)
			*(int64_t *)((char *)row + f->offset) = NH_UNKNOWN;
}

void *nh_row_push(struct nh_arena *a, const struct nh_type *type, struct nh_vec *vec)
{
	void *row = nh_vec_push(a, vec, type->size);

	nh_row_init(type, row);
	return row;
}
