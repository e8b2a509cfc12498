//go:build cuda && cgo && linux

// A jump for each call of the driver, to where graphc_to_<name> points.

#if defined(__x86_64__)
#define CALL(name) .globl name; .hidden name; .type name, @function; name: jmp *graphc_to_##name(%rip)
#elif defined(__aarch64__)
#define CALL(name) .globl name; .hidden name; .type name, %function; name: adrp x16, graphc_to_##name; ldr x16, [x16, #:lo12:graphc_to_##name]; br x16
#else
#error "the CUDA driver is for amd64 and arm64"
#endif

	.text
#include "names.h"

	.section .note.GNU-stack, "", %progbits
