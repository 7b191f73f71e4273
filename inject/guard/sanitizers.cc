#include "inject/guard/sanitizers.h"

#ifdef __has_feature
#define XSP_HAS_FEATURE(name) __has_feature(name)
#else
#define XSP_HAS_FEATURE(name) 0
#endif

#define XSP_WEAK __attribute__((weak, visibility("default")))

extern "C" {
// Of the runtimes, which a program has from its start or never: the loader settles these when it binds the guest. Those
// that are linked statically export them too.
XSP_WEAK void __tsan_init();
XSP_WEAK void __msan_init();
}

namespace xsp::guest {

bool misread_by_sanitizer() {
#if defined(__SANITIZE_THREAD__) || XSP_HAS_FEATURE(thread_sanitizer)
  return false;  // a guest that is instrumented itself is what is to be looked at
#else
  return __tsan_init != nullptr || __msan_init != nullptr;
#endif
}

}  // namespace xsp::guest
