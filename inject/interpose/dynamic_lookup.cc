#include "inject/interpose/dynamic_lookup.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "inject/guard/errno_guard.h"
#include "inject/guard/settings.h"
#include "inject/interpose/bindings.h"
#include "inject/interpose/function_table.h"
#include "inject/interpose/given_pointers.h"
#include "inject/interpose/looked_up.h"
#include "inject/interpose/name_filter.h"
#include "inject/interpose/real_function.h"
#include "inject/objects/elf_object.h"
#include "inject/objects/loader_functions.h"
#include "inject/record/process.h"
#include "inject/record/upward_calls.h"

namespace xsp::guest {
namespace {

constexpr auto kLevelLibrary = static_cast<uint8_t>(wire::Level::kLibrary);

struct Lookup {
  void* handle;
  const char* name;
  const char* version;  // null for dlsym
  uint32_t function;
  ElfObject caller;
  bool caller_known;

  void* next(void* in) const {
    return version == nullptr ? next_loader().dlsym(in, name) : next_loader().dlvsym(in, name, version);
  }
  const ElfObject* caller_object() const { return caller_known ? &caller : nullptr; }
};

constexpr LookupAnswer kGoOn{0, nullptr};

LookupAnswer give(void* address) { return {1, address}; }

/// Answers as if the guest were not there: it exports the name, but no object after it does.
LookupAnswer give_nothing(const Lookup& lookup) {
  const bool is_special = lookup.handle == RTLD_DEFAULT || lookup.handle == RTLD_NEXT;
  const bool by_caller = is_special && lookup.caller_known && lookup.caller.path[0] != '\0';
  char text[1024];
  snprintf(text, sizeof text, "%s: undefined symbol: %s%s%s", by_caller ? lookup.caller.path : program_invocation_name,
           lookup.name, lookup.version == nullptr ? "" : ", version ", lookup.version == nullptr ? "" : lookup.version);
  set_lookup_error(text);
  return give(nullptr);
}

/// Whether a lookup that starts after its caller (RTLD_NEXT) finds nothing but our wrapper.
bool ends_at_us(const Lookup& lookup) {
  if (!lookup.caller_known || !is_in_front(lookup.caller)) return false;
  const ErrnoGuard errno_guard;
  bool in_front = false;
  each_object([&](const ElfObject& object) {
    if (is_guest(object)) return true;
    in_front = object.dynamic != lookup.caller.dynamic && defines_symbol(object, lookup.name, lookup.version);
    return in_front;
  });
  const LookupErrorKeeper error_keeper;
  return !in_front && lookup.next(RTLD_NEXT) == nullptr;
}

/// What a lookup that ended at our wrapper would have found without it. Of all handles only the program's own leads to
/// the guest, as its scope is the global one.
void* behind_wrapper(const Lookup& lookup) {
  const LookupErrorKeeper error_keeper;
  if (void* address = lookup.next(RTLD_NEXT)) return address;
  if (lookup.handle != RTLD_DEFAULT || !lookup.caller_known) return nullptr;
  return find_in_scope_of(lookup.caller, lookup.name, lookup.version);
}

/// Answers with the wrapper in place of `real`, or with `real` where calls through the wrapper could reach another
/// function.
LookupAnswer give_wrapper_for(const Lookup& lookup, void* real) {
  ElfObject holder;
  if (!find_object(reinterpret_cast<uintptr_t>(real), &holder) || !is_library_of(holder, lookup.function)) {
    return give(real);
  }
  const void* own = find_in_scopes(lookup.function, lookup.caller_object());
  if ((own != nullptr && own != real) || !may_give(lookup.function, real)) {
    const uintptr_t caller = lookup.caller_known ? lookup.caller.low : 0;
    remember_second_copy({lookup.function, reinterpret_cast<uintptr_t>(real), caller});
    return give(real);
  }
  if (lookup.caller_known) bind_caller(lookup.function, lookup.caller, real);
  return give(xsp_function_wrapper(lookup.function));
}

/// Whether the name leads to ONNX Runtime's table of functions. That is patched in place, at every level, so the
/// program gets the function that it asked for.
bool is_observed(const char* name) { return strcmp(name, upward_calls.observed_name) == 0; }

LookupAnswer answer(const Lookup& lookup) {
  const ErrnoGuard errno_guard;
  // Asked from the guest, RTLD_DEFAULT means the global scope alone; the caller's own scope is searched after it.
  void* found = lookup.next(lookup.handle);
  const bool is_wrapper = found == xsp_function_wrapper(lookup.function);
  if (found == nullptr) {
    if (lookup.handle != RTLD_DEFAULT || !lookup.caller_known) return kGoOn;
    next_loader().dlerror();  // discards the error of this attempt
  }
  if (found == nullptr || is_wrapper) found = behind_wrapper(lookup);
  if (found == nullptr) return is_wrapper ? give_nothing(lookup) : kGoOn;
  const LookupErrorKeeper error_keeper;
  if (is_observed(lookup.name)) {
    upward_calls.observe(found);
    return give(found);
  }
  return give_wrapper_for(lookup, found);
}

const LookedUp* find_looked_up(const char* name) {
  for (size_t i = 0; i < upward_calls.looked_up_count; ++i) {
    if (strcmp(upward_calls.looked_up[i].name, name) == 0) return &upward_calls.looked_up[i];
  }
  return nullptr;
}

/// Of a name that the filter lets through. Kept out of the path of all others.
__attribute__((noinline)) bool is_wanted(const char* name, uint8_t wanted) {
  return wanted >= kLevelLibrary || is_observed(name) || find_looked_up(name) != nullptr;
}

/// Whether a name is worth a closer look.
__attribute__((always_inline)) inline bool is_ours(const char* name) {
  const uint8_t wanted = wanted_calls.load(std::memory_order_relaxed);
  if (name == nullptr || wanted == 0 || !name_filter.may_have(name)) return false;
  return is_wanted(name, wanted);
}

/// What the guest itself exports under the name.
void* find_own(const char* name) {
  void* own = nullptr;
  each_object([&](const ElfObject& object) {
    if (!is_guest(object)) return false;
    own = find_symbol(object, name, nullptr);
    return true;
  });
  return own;
}

/// Answers a lookup in a library's own scope; others find the guest's export by themselves.
LookupAnswer answer_looked_up(const Lookup& lookup, const LookedUp& known) {
  const ErrnoGuard errno_guard;
  if (lookup.handle == RTLD_NEXT || (lookup.caller_known && is_guest(lookup.caller))) return kGoOn;
  void* found = lookup.next(lookup.handle);
  if (found == nullptr) return kGoOn;  // the same lookup again sets the error
  const LookupErrorKeeper error_keeper;
  ElfObject holder;
  if (!find_object(reinterpret_cast<uintptr_t>(found), &holder)) return give(found);
  const bool is_from_library = strncmp(holder.file_name(), known.library, strlen(known.library)) == 0;
  // The library itself gets its own.
  if (!is_from_library || (lookup.caller_known && lookup.caller.dynamic == holder.dynamic)) return give(found);
  if (known.observe != nullptr) {
    known.observe();
    return give(found);
  }
  void* own = find_own(lookup.name);
  return give(own != nullptr ? own : found);
}

__attribute__((noinline)) LookupAnswer route(void* handle, const char* name, const char* version, void* caller) {
  const uint32_t function = xsp_find_function(name);
  const LookedUp* looked_up = function == XSP_NO_FUNCTION ? find_looked_up(name) : nullptr;
  if (looked_up != nullptr) {
    Lookup lookup{handle, name, version, function, {}, false};
    lookup.caller_known = find_object(reinterpret_cast<uintptr_t>(caller), &lookup.caller);
    return answer_looked_up(lookup, *looked_up);
  }
  if (function == XSP_NO_FUNCTION) return kGoOn;
  Lookup lookup{handle, name, version, function, {}, false};
  lookup.caller_known = find_object(reinterpret_cast<uintptr_t>(caller), &lookup.caller);
  // Our own lookups want the real function.
  if (lookup.caller_known && is_guest(lookup.caller)) return kGoOn;
  // With RTLD_NEXT the caller, itself an interposer, asks for what comes after it, which may rightly be our wrapper.
  if (handle == RTLD_NEXT) return ends_at_us(lookup) ? give_nothing(lookup) : kGoOn;
  return answer(lookup);
}

/// Number of objects unloaded so far. One visit is enough: every object's info carries it.
unsigned long long count_unloaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        *static_cast<unsigned long long*>(argument) = info->dlpi_subs;
        return 1;
      },
      &count);
  return count;
}

}  // namespace

LookupAnswer xsp_route_dlsym(void* handle, const char* name, void* caller) {
  if (is_ours(name)) {
    const LookupAnswer answer = route(handle, name, nullptr, caller);
    if (answer.given != 0) return answer;
  }
  return {0, reinterpret_cast<void*>(next_loader().dlsym)};
}

LookupAnswer xsp_route_dlvsym(void* handle, const char* name, const char* version, void* caller) {
  if (version != nullptr && is_ours(name)) {
    const LookupAnswer answer = route(handle, name, version, caller);
    if (answer.given != 0) return answer;
  }
  return {0, reinterpret_cast<void*>(next_loader().dlvsym)};
}

int close_library(void* handle) {
  const unsigned long long before = count_unloaded();
  const int result = next_loader().dlclose(handle);
  const ErrnoGuard errno_guard;
  // Most calls of dlclose only count a reference down: the search of all bindings is done when something was unloaded.
  if (count_unloaded() != before) {
    drop_closed_bindings();
    forget_closed_pointers();
  }
  return result;
}

char* last_lookup_error() { return without_mark(next_loader().dlerror()); }

}  // namespace xsp::guest
