/* What nvidia-smi answers: comma-separated values without a head or units, one line a GPU. */
#ifndef NH_COLLECT_GPU_SMI_H
#define NH_COLLECT_GPU_SMI_H

#include "model/case.h"

enum { NH_SMI_COLUMNS_MAX = 32 };

enum nh_smi_kind {
	NH_SMI_INT,
	NH_SMI_TEXT,
	NH_SMI_YES,  /* "Yes", "Enabled", "1" and a word after it, or something else */
	NH_SMI_MASK, /* throttle reasons, "0x0000000000000004" */
	NH_SMI_PID,
	NH_SMI_KEY, /* the uuid of the GPU that the line is about */
};

struct nh_smi_column {
	const char *name; /* as it is asked for */
	const char *old;  /* what nvidia-smi called it before; NULL */
	enum nh_smi_kind kind;
	size_t field;	/* in struct nh_gpu */
	int64_t factor; /* from nvidia-smi's unit to the field's */
};

struct nh_smi_query {
	const char *option;		     /* "--query-gpu=" */
	const struct nh_smi_column *columns; /* ends with name == NULL */
};

/* The queries in the order to ask them: the GPUs first, then more of those. */
extern const struct nh_smi_query nh_smi_queries[];
extern const size_t nh_smi_nqueries;

/* Which names were asked for: each of the columns by its name, by its old name or not at all. */
enum nh_smi_asked { NH_SMI_NEW, NH_SMI_OLD, NH_SMI_LEFT_OUT };
typedef unsigned char nh_smi_names[NH_SMI_COLUMNS_MAX];

/* The name of column i that is asked for, NULL if it is left out. */
const char *nh_smi_name(const struct nh_smi_query *q, const nh_smi_names names, size_t i);
/* True if the answer is that a field is not known; then it is asked for by its old name, or no
 * more. */
bool nh_smi_refused(const struct nh_smi_query *q, nh_smi_names names, const char *buf, size_t len);
/* Takes the answer's lines into gpus, new rows for the first query only. */
void nh_smi_parse(const struct nh_smi_query *q, const nh_smi_names names, const char *buf,
	size_t len, struct nh_case *ret);

#endif
