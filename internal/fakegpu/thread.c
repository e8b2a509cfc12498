//go:build cuda && cgo && linux

#include "thread.h"

enum { most = 64 };
static __thread uintptr_t stack[most];
static __thread int depth;

uintptr_t fakegpu_current(void) { return depth ? stack[depth - 1] : 0; }

int fakegpu_push(uintptr_t c) {
	if (depth == most)
		return 0;
	stack[depth++] = c;
	return 1;
}

uintptr_t fakegpu_pop(void) { return depth ? stack[--depth] : 0; }

void fakegpu_set(uintptr_t c) {
	if (!depth)
		depth = 1;
	stack[depth - 1] = c;
}
