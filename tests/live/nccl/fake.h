/*
 * A CUDA without a GPU under the unmodified NCCL: device memory is host memory, streams and events
 * are dummies, kernels are never launched.  Enough for communicators to come up and to be torn
 * down, never for a collective.  Used by nothing but tests.
 */
#ifndef NH_TEST_FAKE_H
#define NH_TEST_FAKE_H

#define FAKE_GPUS 3
#define FAKE_FIRST_BUS 0xa1 /* GPU n is PCI 0000:(a1+n):00.0, as in line-of-three.xml */

/* The calling thread uses GPU `dev`. */
void fake_use(int dev);

/* The fake of a CUDA runtime or driver function; NULL = none. */
void *fake_find(const char *name);

/* What takes the place of every runtime function that has no fake: "not supported". */
int fake_refuse(void);

/*
 * Overwrites, in this process's memory only, each cuda* function of the library loaded at `base`
 * (its CUDA runtime is linked statically, so that no preload can reach it).  The addresses come
 * from the symbol table of `file`: the library, or the one it was stripped from.
 * Returns how many were replaced, or negative errno: -ENOENT = no symbol table.
 */
int fake_patch(const char *file, char *base);

#endif
