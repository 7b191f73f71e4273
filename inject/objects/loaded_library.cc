#include "inject/objects/loaded_library.h"

#include <string.h>

#include "inject/objects/object_scope.h"

namespace xsp::guest {

void* symbol_in_loaded_library(const char* soname_prefix, const char* symbol) {
  void* address = nullptr;
  each_object([&](const ElfObject& object) {
    if (strncmp(object.file_name(), soname_prefix, strlen(soname_prefix)) != 0) return false;
    address = find_symbol(object, symbol, nullptr);
    return true;
  });
  return address;
}

bool is_library_loaded(const char* soname_prefix) {
  bool is_loaded = false;
  each_object([&](const ElfObject& object) {
    is_loaded = strncmp(object.file_name(), soname_prefix, strlen(soname_prefix)) == 0;
    return is_loaded;
  });
  return is_loaded;
}

void* symbol_beside(const void* address, const char* symbol) {
  ElfObject object;
  if (!find_object(reinterpret_cast<uintptr_t>(address), &object)) return nullptr;
  void* found = nullptr;
  each_object_of_scope(object, [&](const ElfObject& part) {
    // The guest exports wrappers under the library's own names.
    if (is_guest(part)) return false;
    found = find_symbol(part, symbol, nullptr);
    return found != nullptr;
  });
  return found;
}

}  // namespace xsp::guest
