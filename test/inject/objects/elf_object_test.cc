#include "inject/objects/elf_object.h"

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

#include "inject/objects/object_scope.h"
#include "test/catch.h"

namespace {

using namespace xsp::guest;

/// By its name: interposers, of which a sanitizer is one, have some of its functions too.
void* const libc_handle = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY);

ElfObject libc() {
  ElfObject found;
  REQUIRE(find_object(reinterpret_cast<uintptr_t>(dlsym(libc_handle, "puts")), &found));
  return found;
}

TEST_CASE("a symbol of a loaded object is found where dlsym finds it") {
  const ElfObject object = libc();
  CHECK(std::string(object.soname) == "libc.so.6");
  // memcpy is an indirect function, dlsym has two versions.
  for (const char* name : {"puts", "memcpy", "strlen", "dlsym", "qsort", "environ"}) {
    INFO(name);
    CHECK(find_symbol(object, name, nullptr) == dlsym(libc_handle, name));
  }
  CHECK(find_symbol(object, "no_such_function", nullptr) == nullptr);
}

TEST_CASE("a version names one of several definitions") {
  const ElfObject object = libc();
  CHECK(find_symbol(object, "memcpy", "GLIBC_2.2.5") == dlvsym(libc_handle, "memcpy", "GLIBC_2.2.5"));
  CHECK(find_symbol(object, "memcpy", "GLIBC_2.14") == dlvsym(libc_handle, "memcpy", "GLIBC_2.14"));
  CHECK(find_symbol(object, "memcpy", "GLIBC_9.9") == nullptr);
}

TEST_CASE("a reference has the version of the library that it was linked to") {
  ElfObject self;
  REQUIRE(find_object(reinterpret_cast<uintptr_t>(&libc), &self));
  CHECK(self.path[0] == '\0');
  const char* version = version_of_reference(self, "dlvsym");
  REQUIRE(version != nullptr);
  CHECK(std::string(version).rfind("GLIBC_2.", 0) == 0);
  CHECK(version_of_reference(self, "no_such_function") == nullptr);
  CHECK(std::string(version_of_reference(libc(), "dlopen")).rfind("GLIBC_2.", 0) == 0);
}

TEST_CASE("the slots of an object hold where its calls go") {
  ElfObject self;
  REQUIRE(find_object(reinterpret_cast<uintptr_t>(&libc), &self));
  bool seen = false;
  each_slot(self, [&](const SymbolSlot& slot) {
    if (std::strcmp(slot.name, "dlvsym") != 0) return;
    seen = true;
    const bool bound = slot.value == reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "dlvsym"));
    CHECK((bound || self.contains(slot.value)));
  });
  CHECK(seen);
}

TEST_CASE("a scope is the object and what it needs, breadth first, each once") {
  ElfObject self;
  REQUIRE(find_object(reinterpret_cast<uintptr_t>(&libc), &self));
  std::vector<std::string> names;
  each_object_of_scope(self, [&](const ElfObject& object) {
    names.emplace_back(object.file_name());
    return false;
  });
  REQUIRE(names.size() >= 3);
  CHECK(names[0].empty());
  CHECK(std::count(names.begin(), names.end(), "libc.so.6") == 1);
  CHECK(std::count(names.begin(), names.end(), "linux-vdso.so.1") == 0);
}

TEST_CASE("an address outside of every object has none") {
  ElfObject found;
  int on_stack = 0;
  CHECK_FALSE(find_object(reinterpret_cast<uintptr_t>(&on_stack), &found));
}

}  // namespace
