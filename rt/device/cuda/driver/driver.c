//go:build cuda && cgo && linux

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

enum { NO_GPU = 69, NOT_SUPPORTED = 801 };

// absent replaces functions that the driver does not have.
static int absent(void) { return NOT_SUPPORTED; }

// The targets of the jumps in trampolines.S.
#define CALL(name) HIDDEN void *graphc_to_##name = (void *)absent;
#include "names.h"
#undef CALL

static const struct {
	const char *name;
	void **to;
} calls[] = {
#define CALL(name) {#name, &graphc_to_##name},
#include "names.h"
#undef CALL
};

extern int cuDeviceGetCount(int *n);
extern int cuGetErrorString(int code, const char **text);

static void none(const char *why, const char *more) {
	fprintf(stderr, "this program is built for GPUs (-tags cuda), and %s%s; a program for CPUs is built without the tag, for --devices cpu:0\n", why, more);
	_exit(NO_GPU);
}

// cuInit looks up the driver's functions and starts it, or ends the process.
HIDDEN int cuInit(unsigned flags) {
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		none("there is no CUDA driver here: ", dlerror());
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		void *p = dlsym(lib, calls[i].name);
		if (p)
			*calls[i].to = p;
	}
	int (*start)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit");
	int code = start ? start(flags) : NOT_SUPPORTED, n = 0;
	if (!code)
		code = cuDeviceGetCount(&n);
	if (code) {
		const char *text = NULL;
		if (cuGetErrorString(code, &text) || !text)
			text = "an error that it has no text for";
		none("the CUDA driver does not start: ", text);
	}
	if (n == 0)
		none("the CUDA driver finds no GPU here", "");
	return 0;
}
