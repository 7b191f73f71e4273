#ifndef XSP_INJECT_INTERPOSE_BINDING_H
#define XSP_INJECT_INTERPOSE_BINDING_H

/* Which real function a wrapper calls for a caller (doc/library.md). Readable from C. */

#include <stdint.h>

#pragma GCC visibility push(hidden)
#ifdef __cplusplus
extern "C" {
#endif

/* Callers in [low, low + size) reach `real`. Never changed after it is published, but for `next`. */
struct xsp_binding {
  uintptr_t low;
  uintptr_t size;
  void* real;
  struct xsp_binding* next; /* other callers of the same function */
};

/* The latest binding of each function, by its index; null: none yet, or a library has been closed since. */
extern struct xsp_binding* volatile xsp_bindings[];

/* Finds the real function for this caller and publishes the binding. Does not return when there is none: ends the
 * process as the loader does for an undefined symbol. */
void* xsp_bind(uint32_t function, void* caller);

#ifndef __cplusplus
/* The real function if this caller was the last one to ask, else null: two loads and a compare. */
static inline void* xsp_bound(uint32_t function, void* caller) {
  const struct xsp_binding* binding = __atomic_load_n(&xsp_bindings[function], __ATOMIC_ACQUIRE);
  return binding != 0 && (uintptr_t)caller - binding->low < binding->size ? binding->real : 0;
}

/* The real function for the caller. */
static inline void* xsp_real(uint32_t function, void* caller) {
  void* real = xsp_bound(function, caller);
  return __builtin_expect(real != 0, 1) ? real : xsp_bind(function, caller);
}
#endif

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
