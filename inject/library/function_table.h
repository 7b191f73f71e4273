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
  uint8_t level;              /* xsp.Level of its calls */
  uint8_t kind;               /* xsp.Kind */
  uint8_t caller_scope_first; /* versioned symbols: each caller's own library */
};

enum { XSP_FUNCTION_QUIET = 1 /* recorded with --library-calls all only */ };

struct xsp_function {
  const char* name;
  const char* layout; /* of its argument records; null: none */
  void* wrapper;
  uint16_t library;
  uint16_t flags;
};

extern const struct xsp_library xsp_libraries[];
extern const uint32_t xsp_library_count;
extern const struct xsp_function xsp_functions[];
extern const uint32_t xsp_function_count;

/* String ids of the tables' texts, 0 until they are interned. */
extern uint32_t xsp_function_names[];
extern uint32_t xsp_function_layouts[];
extern uint32_t xsp_library_names[];

#define XSP_NO_FUNCTION UINT32_MAX
/* Index of the function of that name, or XSP_NO_FUNCTION. A hash, one load and one compare for a name that is not
 * ours. */
uint32_t xsp_find_function(const char* name);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
