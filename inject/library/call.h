#ifndef XSP_INJECT_LIBRARY_CALL_H
#define XSP_INJECT_LIBRARY_CALL_H

/* What a generated wrapper (C) and a hand-written capture (C or C++) use to record one call. Nothing here throws; the
 * real function may: the wrapper's `struct xsp_call` is cleaned up by xsp_call_cleanup, which records the call as
 * failed. */

#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)
#ifdef __cplusplus
extern "C" {
#endif

/* The deepest level of calls that is recorded (xsp.Level), plus XSP_ALL_CALLS when queries and descriptor calls are,
 * too; 0: pass everything on; 255: the guest sleeps and is woken by the first call. One byte for the hot path of all
 * wrappers. */
#define XSP_ALL_CALLS 16
extern volatile uint8_t xsp_library_state;

/* One recorded call. `thread` null: passed on without a record. */
struct xsp_call {
  void* thread;
  uint32_t function; /* index in the generated table */
  uint32_t slot;     /* on the thread's open-span stack */
  uint64_t end;
  uint32_t failed; /* set before values are taken: what was passed may be no object at all */
  void* real;      /* the function itself: captures look up further functions of its library */
};

/* The bytes of an argument record, in the order of the function's layout. */
#define XSP_MAX_VALUES 176
struct xsp_values {
  uint32_t length;
  uint8_t bytes[XSP_MAX_VALUES];
};

/* Opens the span. `frame` is the wrapper's __builtin_frame_address(0), `call` lies in that frame: the frame of a call
 * that is still running lies wholly above those of the calls inside it, which is how calls that a longjmp left are
 * known. */
void xsp_call_begin(struct xsp_call* call, uint32_t function, void* real, const void* frame);

/* For hand-written captures: appends what the call returned. */
static inline void xsp_append_status(struct xsp_values* values, int status) {
  if (values->length + sizeof status > sizeof values->bytes) return;
  memcpy(values->bytes + values->length, &status, sizeof status);
  values->length += (uint32_t)sizeof status;
}

/* Takes the time. To be called right after the real call; what follows until xsp_call_end is not measured. Returns
 * whether values are wanted. */
int xsp_call_returned(struct xsp_call* call);

/* Records it. `failed`: the status is not success. Values may be null. */
void xsp_call_end(struct xsp_call* call, int failed, const void* values, uint32_t length);

/* Records the call as failed: its frame is being left by an exception or a cancellation. */
void xsp_call_unwound(struct xsp_call* call);

#ifndef __cplusplus
/* For __attribute__((cleanup)): does nothing after xsp_call_end. */
static inline void xsp_call_cleanup(struct xsp_call* call) {
  if (__builtin_expect(call->thread != 0, 0)) xsp_call_unwound(call);
}
#endif

/* A call of class `around`: what runs before and after it learns who calls, and what is called. */
struct xsp_around {
  void* caller; /* its return address */
  void* real;
};

/* A string id for text made by a capture: a described descriptor, a plan. 0 when it cannot be kept. */
uint32_t xsp_text(const char* text, uint64_t length);

/* Another function of the library that holds `call->real`, by its name; null when it has none. Kept per (name, object):
 * `cache` is a zeroed static of the caller's. Never one of our wrappers. */
struct xsp_sibling {
  void* beside; /* the real function that `found` was looked up for */
  void* found;
};
void* xsp_sibling_function(const struct xsp_call* call, const char* name, struct xsp_sibling* cache);

#ifdef __cplusplus
}

namespace xsp::guest {

/// Appends a value to the captured ones; beyond the capacity it is left out.
template <typename Value>
inline void append(xsp_values* values, Value value) {
  if (values->length + sizeof value > sizeof values->bytes) return;
  memcpy(values->bytes + values->length, &value, sizeof value);
  values->length += sizeof value;
}

}  // namespace xsp::guest
#endif
#pragma GCC visibility pop

#endif
