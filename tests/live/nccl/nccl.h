/* The few functions of NCCL that a scene needs, from a library named at run time. */
#ifndef NH_TEST_NCCL_H
#define NH_TEST_NCCL_H

struct nccl_id {
	char internal[128];
};

struct nccl {
	int (*get_version)(int *ret);
	int (*get_unique_id)(struct nccl_id *ret);
	int (*init_rank)(void **ret, int nranks, struct nccl_id id, int rank);
	int (*abort)(void *comm);
	int (*destroy)(void *comm);
	const char *(*last_error)(void *comm);
};

/* Loads `lib` and puts the fake CUDA under it; `symbols` is the file with its symbol table.
 * Ends the process, with a reason, if that fails. */
void nccl_load(const char *lib, const char *symbols, struct nccl *ret);

/* The path of a file that lies beside this program; to be freed. */
char *beside(const char *name);

#endif
