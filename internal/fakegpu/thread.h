#include <stdint.h>

// The stack of current contexts of the calling thread.
uintptr_t fakegpu_current(void);
int fakegpu_push(uintptr_t c);
uintptr_t fakegpu_pop(void);
void fakegpu_set(uintptr_t c);
