/* Nothing here allocates: what would, traps. */
#ifndef STDLIB_H
#define STDLIB_H
#include <string.h>
#define NULL ((void *)0)
#define EXIT_FAILURE 1
#define abort() __builtin_trap()
static inline void *malloc(size_t size) { __builtin_trap(); }
static inline void free(void *memory) {}
#endif
