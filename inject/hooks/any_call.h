#ifndef XSP_INJECT_HOOKS_ANY_CALL_H
#define XSP_INJECT_HOOKS_ANY_CALL_H

/* Functions of C++ that are called in place of those of a library, or call them, whatever their parameters: six words
 * in registers, and the words that follow on the stack, are passed on as they came. x86-64 only. */

#include <stdint.h>

#pragma GCC visibility push(hidden)
#ifdef __cplusplus
extern "C" {
#endif

/* Passed by value it lies where parameters on the stack do. No hooked function takes more. */
struct xsp_stack_words {
  uint64_t words[8];
};

struct xsp_any_words {
  void* a;
  void* b;
  void* c;
  void* d;
  void* e;
  void* f;
};

typedef void* (*xsp_any_function)(void* a, void* b, void* c, void* d, void* e, void* f, struct xsp_stack_words stack);

/* Calls the function; afterwards, and also if it leaves by an exception, calls ended(of). Returns what the function
 * returns. */
void* xsp_call_any(xsp_any_function function, const struct xsp_any_words* words, struct xsp_stack_words stack,
                   void (*ended)(void* of), void* of);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
