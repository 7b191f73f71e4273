#include "inject/guard/sanitizers.h"

#include <link.h>
#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>

#ifdef __has_feature
#define XSP_HAS_FEATURE(name) __has_feature(name)
#else
#define XSP_HAS_FEATURE(name) 0
#endif

#define XSP_WEAK __attribute__((weak, visibility("default")))

extern "C" {
// Of the runtimes, which a program has from its start or never: the loader settles these when it binds the guest.
// clang's are linked statically, and export them.
XSP_WEAK void __tsan_init();
XSP_WEAK void __msan_init();
// Of ThreadSanitizer's interceptors, one that no program has otherwise. gcc's static runtime exports nothing else.
XSP_WEAK void intercepted_by_threads() __asm__("__sigsetjmp");
}

namespace xsp::guest {
namespace {

/// From what the kernel tells: the loader's list of objects is asked for by a function that they intercept.
bool lies_in_program(uintptr_t address) {
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const size_t count = headers != nullptr ? getauxval(AT_PHNUM) : 0;
  uintptr_t base = 0;
  for (size_t i = 0; i < count; ++i) {
    if (headers[i].p_type == PT_PHDR) base = reinterpret_cast<uintptr_t>(headers) - headers[i].p_vaddr;
  }
  for (size_t i = 0; i < count; ++i) {
    if (headers[i].p_type == PT_LOAD && address - base - headers[i].p_vaddr < headers[i].p_memsz) return true;
  }
  return false;
}

}  // namespace

bool misread_by_sanitizer() {
#if defined(__SANITIZE_THREAD__) || XSP_HAS_FEATURE(thread_sanitizer)
  return false;  // a guest that is instrumented itself is what is to be looked at
#else
  return __tsan_init != nullptr || __msan_init != nullptr ||
         lies_in_program(reinterpret_cast<uintptr_t>(&intercepted_by_threads));
#endif
}

}  // namespace xsp::guest
