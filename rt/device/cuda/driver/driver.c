//go:build cuda && cgo && linux

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#define HIDDEN __attribute__((visibility("hidden")))

// absent is what a call does that the driver does not have: CUDA_ERROR_NOT_SUPPORTED.
static int absent(void) { return 801; }

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

extern int cuInit(unsigned flags);
extern int cuDeviceGetCount(int *n);
extern int cuGetErrorString(int code, const char **text);

static char said[512];

const char *graphc_driver_open(void) {
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(said, sizeof said, "there is no CUDA driver here: %s", dlerror());
		return said;
	}
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		void *p = dlsym(lib, calls[i].name);
		if (p)
			*calls[i].to = p;
	}
	int code = cuInit(0), n = 0;
	if (!code)
		code = cuDeviceGetCount(&n);
	if (code) {
		const char *text = NULL;
		if (cuGetErrorString(code, &text) || !text)
			text = "unknown to the driver";
		snprintf(said, sizeof said, "the CUDA driver does not start: error %d, %s", code, text);
		return said;
	}
	return n > 0 ? NULL : "the CUDA driver finds no GPU here";
}

int graphc_driver_has(const char *name) {
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (!strcmp(calls[i].name, name))
			return *calls[i].to != (void *)absent;
	return 0;
}

void graphc_driver_free(char *p) { free(p); }
