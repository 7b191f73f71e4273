#include "inject/interpose/loaded_library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

namespace xsp::guest {
namespace {

struct Search {
  const char* soname_prefix;
  char path[4096];
};

int match(dl_phdr_info* library, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* slash = strrchr(library->dlpi_name, '/');
  const char* file = slash == nullptr ? library->dlpi_name : slash + 1;
  const size_t length = strlen(library->dlpi_name);
  if (strncmp(file, search->soname_prefix, strlen(search->soname_prefix)) != 0 || length >= sizeof search->path) {
    return 0;
  }
  memcpy(search->path, library->dlpi_name, length + 1);
  return 1;
}

}  // namespace

void* symbol_in_loaded_library(const char* soname_prefix, const char* symbol) {
  Search search{.soname_prefix = soname_prefix, .path = {}};
  if (dl_iterate_phdr(match, &search) == 0) return nullptr;
  void* library = dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return nullptr;
  void* address = dlsym(library, symbol);
  dlclose(library);  // gives back the count that NOLOAD took; the program's own keeps the library
  return address;
}

void* symbol_beside(const void* address, const char* symbol) {
  Dl_info object;
  if (dladdr(address, &object) == 0 || object.dli_fname == nullptr) return nullptr;
  void* library = dlopen(object.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return nullptr;
  void* found = dlsym(library, symbol);
  dlclose(library);
  Dl_info own;
  Dl_info finder;
  if (found != nullptr && dladdr(found, &finder) != 0 && dladdr(reinterpret_cast<void*>(&symbol_beside), &own) != 0 &&
      finder.dli_fbase == own.dli_fbase) {
    return nullptr;
  }
  return found;
}

}  // namespace xsp::guest
