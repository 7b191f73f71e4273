#include "inject/guard/sanitizers.h"

#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#ifdef __has_feature
#define XSP_HAS_FEATURE(name) __has_feature(name)
#else
#define XSP_HAS_FEATURE(name) 0
#endif

#define XSP_WEAK __attribute__((weak, visibility("default")))

extern "C" {
// Symbols of the runtimes, which a program has from its start or never: the loader resolves them when it binds the
// guest. clang's are linked statically, and export them.
XSP_WEAK void __tsan_init();  // NOLINT(bugprone-reserved-identifier): the runtimes' own names
XSP_WEAK void __msan_init();  // NOLINT(bugprone-reserved-identifier)
// Of ThreadSanitizer's interceptors, one that no program has otherwise. gcc's static runtime exports nothing else.
XSP_WEAK void intercepted_by_threads() __asm__("__sigsetjmp");
// The name by which the runtimes offer their `_exit` to others that define it as well.
XSP_WEAK void __interceptor__exit(int status);  // NOLINT(bugprone-reserved-identifier)
}

namespace xsp::guest {
namespace {

/// By what the kernel tells: the function that asks for the loader's list of objects is one that they intercept.
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
  return false;  // a guest that is itself instrumented is there to be examined
#else
  return __tsan_init != nullptr || __msan_init != nullptr ||
         lies_in_program(reinterpret_cast<uintptr_t>(&intercepted_by_threads));
#endif
}

void exit_by_sanitizer(int status) {
  // One that is linked statically has been called by the program already, and calls us.
  if (__interceptor__exit == nullptr || lies_in_program(reinterpret_cast<uintptr_t>(&__interceptor__exit))) return;
  // So does one that is preloaded before us. By the thread, as a forked child inherits what its parent has set.
  static constinit std::atomic<pid_t> leaving{0};
  const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
  if (leaving.exchange(thread) != thread) __interceptor__exit(status);
}

}  // namespace xsp::guest
