#include "inject/interpose/real_function.h"

#include <dlfcn.h>
#include <string.h>

#include "inject/interpose/function_table.h"
#include "inject/objects/loader_functions.h"
#include "inject/objects/object_scope.h"

namespace xsp::guest {
namespace {

const xsp_library& library_of(uint32_t function) { return *xsp_function_library(function); }

bool begins_with(const char* text, const char* beginning) { return strncmp(text, beginning, strlen(beginning)) == 0; }

/// Null unless the address lies in an object other than the guest.
void* unless_guest(void* address) {
  ElfObject object;
  if (address == nullptr || !find_object(reinterpret_cast<uintptr_t>(address), &object)) return address;
  return is_guest(object) ? nullptr : address;
}

/// Whether the loader would bind a reference that asks for the version to this address.
bool has_version(const void* address, const char* name, const char* version) {
  ElfObject object;
  if (version == nullptr || !find_object(reinterpret_cast<uintptr_t>(address), &object)) return true;
  return defines_symbol(object, name, version);
}

void* find_behind_us(const char* name, const char* version) {
  const LookupErrorKeeper error_keeper;
  void* address = next_loader().dlsym(RTLD_NEXT, name);
  // dlsym first: another interposer after us has no versions, and dlvsym would skip it.
  if (address != nullptr && has_version(address, name, version)) return unless_guest(address);
  if (version == nullptr) return nullptr;
  return unless_guest(next_loader().dlvsym(RTLD_NEXT, name, version));
}

}  // namespace

bool is_library_of(const ElfObject& object, uint32_t function) {
  const char* const* soname = library_of(function).sonames;
  if (*soname == nullptr) return true;
  for (; *soname != nullptr; ++soname) {
    if (begins_with(object.file_name(), *soname)) return true;
    if (object.soname != nullptr && begins_with(object.soname, *soname)) return true;
  }
  return false;
}

void* find_in_scope_of(const ElfObject& caller, const char* name, const char* version) {
  void* address = nullptr;
  each_object_of_scope(caller, [&](const ElfObject& object) {
    if (is_guest(object) || is_in_front(object)) return false;
    address = find_symbol(object, name, version);
    return address != nullptr;
  });
  return address;
}

void* find_only_definition(uint32_t function, const char* version) {
  const char* name = xsp_function_name(function);
  ElfObject definer;
  int definitions = 0;
  each_object([&](const ElfObject& object) {
    // An interposer in front of us is a caller of the wrapper, and never what the wrapper calls.
    if (is_guest(object) || !defines_symbol(object, name, version) || is_in_front(object)) return false;
    definer = object;
    return ++definitions > 1;
  });
  return definitions == 1 && is_library_of(definer, function) ? find_symbol(definer, name, version) : nullptr;
}

void* find_in_scopes(uint32_t function, const ElfObject* caller) {
  const char* name = xsp_function_name(function);
  if (caller == nullptr) return find_behind_us(name, nullptr);
  const char* version = version_of_reference(*caller, name);
  // Such libraries may be loaded in several versions (doc/library.md); a caller whose reference has no version means
  // the one that it was linked to.
  if (library_of(function).caller_scope_first != 0 && version == nullptr && !is_in_front(*caller)) {
    void* address = find_in_scope_of(*caller, name, nullptr);
    return address != nullptr ? address : find_behind_us(name, nullptr);
  }
  void* address = find_behind_us(name, version);
  return address != nullptr ? address : find_in_scope_of(*caller, name, version);
}

void* find_in_any_library(uint32_t function, const char* version) {
  const char* name = xsp_function_name(function);
  void* address = nullptr;
  each_object([&](const ElfObject& object) {
    if (is_guest(object) || !is_library_of(object, function)) return false;
    address = find_symbol(object, name, version);
    return address != nullptr;
  });
  return address;
}

}  // namespace xsp::guest
