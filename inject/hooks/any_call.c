/* In C: the guest's C++ has no exceptions of its own, and runs nothing when one of the program's passes through it. */

#include "inject/hooks/any_call.h"

struct ending {
  void (*ended)(void* of);
  void* of;
};

static void tell(struct ending* ending) { ending->ended(ending->of); }

void* xsp_call_any(xsp_any_function function, const struct xsp_any_words* words, struct xsp_stack_words stack,
                   void (*ended)(void* of), void* of) {
  __attribute__((cleanup(tell))) struct ending ending = {ended, of};
  return function(words->a, words->b, words->c, words->d, words->e, words->f, stack);
}
