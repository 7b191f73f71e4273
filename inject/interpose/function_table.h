#ifndef XSP_INJECT_LIBRARY_FUNCTION_TABLE_H
#define XSP_INJECT_LIBRARY_FUNCTION_TABLE_H

/* The wrapped functions, generated from inject/library/description: function_table.cc of the build folder. */

#include <stdint.h>

#pragma GCC visibility push(hidden)
#ifdef __cplusplus
extern "C" {
#endif

struct xsp_library {
  const char* name;           /* "cublas" */
  const char* const* sonames; /* beginnings of file names, null-terminated; {null}: any file */
  uint8_t caller_scope_first; /* versioned symbols: each caller's own library */
};

/* Offsets, not pointers: the table is in every process that the guest is preloaded into, and the loader would have to
 * relocate each pointer. */
struct xsp_function {
  uint32_t name;   /* in xsp_function_texts */
  uint32_t layout; /* likewise: of its argument records, without the shared lists of values; 0: none */
  uint16_t library;
};

extern const struct xsp_library xsp_libraries[];
extern const uint32_t xsp_library_count;
extern const struct xsp_function xsp_functions[];
extern const uint32_t xsp_function_count;
extern const char xsp_function_texts[];
extern const int32_t xsp_wrapper_offsets[]; /* from the table's begin */

static inline const char* xsp_function_name(uint32_t function) {
  return xsp_function_texts + xsp_functions[function].name;
}

/* In a layout, before the number (from 1 on) of a list of values that many layouts share. */
#define XSP_LAYOUT_LIST '\1'
extern const uint32_t xsp_value_lists[]; /* in xsp_function_texts, by their number less 1 */
extern const uint32_t xsp_longest_layout;

/* Writes the layout of the function's argument records as it stands in the trace, not terminated, and returns its
 * length, xsp_longest_layout at most; 0 when the function has no values to record. */
uint32_t xsp_function_layout(uint32_t function, char* text);

static inline const struct xsp_library* xsp_function_library(uint32_t function) {
  return &xsp_libraries[xsp_functions[function].library];
}

static inline void* xsp_function_wrapper(uint32_t function) {
  return (char*)(uintptr_t)xsp_wrapper_offsets + xsp_wrapper_offsets[function];
}

/* What recording a call reads of its function, in one place, and in words that a span has, too. String ids are 0 until
 * interned. */
struct __attribute__((aligned(16))) xsp_recorded_function {
  uint32_t name;
  uint32_t library;
  uint32_t layout;
  uint8_t level;
  uint8_t kind;
  uint8_t threshold; /* of xsp_library_state, from which on it is recorded */
};
extern struct xsp_recorded_function xsp_recorded_functions[];

#define XSP_NO_FUNCTION UINT32_MAX
/* Index of the function of that name, or XSP_NO_FUNCTION. A hash, one load and one compare for a name that is not
 * ours. */
uint32_t xsp_find_function(const char* name);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
