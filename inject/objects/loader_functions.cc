#include "inject/objects/loader_functions.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <string.h>

#include <atomic>

#include "inject/objects/elf_object.h"

namespace xsp::guest {
namespace {

/// No symbol has this in its name, so that it finds our own text in what dlerror returns.
constexpr char kMark[] = "\x01xsp\x01";

constinit LoaderFunctions functions{};
constinit std::atomic<bool> functions_known{false};

/// dlsym of libc itself. Sanitizers look their own functions up before those work, so nothing is called here that they
/// intercept: neither dl_iterate_phdr nor a function of <string.h>.
void* dlsym_of_libc() {
  ElfObject libc;
  // Any function of libc that nobody interposes would do.
  const auto inside = reinterpret_cast<uintptr_t>(&gnu_get_libc_version);
  return find_object(inside, &libc) ? find_symbol(libc, "dlsym", nullptr) : nullptr;
}

template <typename Function>
void find_next(Function** function, decltype(LoaderFunctions::dlsym) lookup, const char* name) {
  // Several threads may store the same value here at once; the release store of functions_known publishes it.
  __atomic_store_n(function, reinterpret_cast<Function*>(lookup(RTLD_NEXT, name)), __ATOMIC_RELAXED);
}

}  // namespace

const LoaderFunctions& next_loader() {
  if (__builtin_expect(functions_known.load(std::memory_order_acquire), 1)) return functions;
  // Threads that get here at the same time find the same functions. All lookups succeed, so none leaves an error for
  // the program's next dlerror().
  const auto lookup = reinterpret_cast<decltype(LoaderFunctions::dlsym)>(dlsym_of_libc());
  find_next(&functions.dlvsym, lookup, "dlvsym");
  find_next(&functions.dlclose, lookup, "dlclose");
  find_next(&functions.dlerror, lookup, "dlerror");
  find_next(&functions.dlsym, lookup, "dlsym");
  functions_known.store(true, std::memory_order_release);
  return functions;
}

void set_lookup_error(const char* text) {
  char name[sizeof kMark + 1024];
  memcpy(name, kMark, sizeof kMark - 1);
  size_t length = strlen(text);
  if (length > sizeof name - sizeof kMark) length = sizeof name - sizeof kMark;
  memcpy(name + sizeof kMark - 1, text, length);
  name[sizeof kMark - 1 + length] = '\0';
  // The lookup fails, and the loader itself then keeps "…: undefined symbol: MARK text" for this thread, in memory that
  // it frees.
  next_loader().dlsym(RTLD_DEFAULT, name);
}

char* without_mark(char* error) {
  if (error == nullptr) return nullptr;
  char* mark = strstr(error, kMark);
  return mark == nullptr ? error : mark + sizeof kMark - 1;
}

LookupErrorKeeper::LookupErrorKeeper() {
  const char* error = without_mark(next_loader().dlerror());
  had_error_ = error != nullptr;
  if (!had_error_) return;
  size_t length = strlen(error);
  if (length >= sizeof text_) length = sizeof text_ - 1;
  memcpy(text_, error, length);
  text_[length] = '\0';
}

LookupErrorKeeper::~LookupErrorKeeper() {
  if (had_error_) {
    set_lookup_error(text_);
  } else {
    // Discards the error that our own lookups may have left: the program had none.
    next_loader().dlerror();
  }
}

}  // namespace xsp::guest
