#include "inject/objects/object_scope.h"

#include <string.h>
#include <sys/mman.h>

namespace xsp::guest {
namespace {

/// So many loaded objects are considered; objects loaded after them are not searched.
constexpr size_t kMaxObjects = 2048;

/// All loaded objects, and which of them belong to a scope in which order. Too large for a stack of the program's,
/// hence mapped.
struct Scope {
  ElfObject objects[kMaxObjects];
  uint32_t soname_hashes[kMaxObjects];
  uint32_t file_hashes[kMaxObjects];
  uint16_t order[kMaxObjects];
  bool taken[kMaxObjects];
  size_t count;
  size_t ordered;

  void add(const ElfObject& object) {
    if (count == kMaxObjects) return;
    objects[count] = object;
    soname_hashes[count] = object.soname == nullptr ? 0 : gnu_hash_of(object.soname);
    file_hashes[count] = gnu_hash_of(object.file_name());
    count++;
  }

  /// The first loaded object with the name that a DT_NEEDED entry gives; `count` when there is none.
  size_t named(const char* needed) const {
    const bool is_path = strchr(needed, '/') != nullptr;
    const uint32_t hash = gnu_hash_of(needed);
    for (size_t i = 0; i < count; ++i) {
      if (is_path) {
        if (strcmp(objects[i].path, needed) == 0) return i;
      } else if ((soname_hashes[i] == hash && objects[i].soname != nullptr && strcmp(objects[i].soname, needed) == 0) ||
                 (file_hashes[i] == hash && strcmp(objects[i].file_name(), needed) == 0)) {
        return i;
      }
    }
    return count;
  }

  void take(size_t index) {
    if (index == count || taken[index]) return;
    taken[index] = true;
    order[ordered++] = static_cast<uint16_t>(index);
  }
};

}  // namespace

bool visit_scope(const ElfObject& object, bool (*visit)(const ElfObject& object, void* argument), void* argument) {
  // Most lookups end in the object itself, and then no memory is mapped.
  if (visit(object, argument)) return true;
  void* memory = mmap(nullptr, sizeof(Scope), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto& scope = *static_cast<Scope*>(memory);
  scope.add(object);
  scope.take(0);
  each_object([&scope, &object](const ElfObject& loaded) {
    if (loaded.dynamic != object.dynamic) scope.add(loaded);
    return false;
  });
  bool stopped = false;
  // `order` is the queue of a breadth-first search: it grows while it is walked.
  for (size_t i = 0; i < scope.ordered && !stopped; ++i) {
    const ElfObject& current = scope.objects[scope.order[i]];
    if (i > 0) stopped = visit(current, argument);
    for (const ElfW(Dyn)* entry = current.dynamic; current.holds(entry) && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_NEEDED) scope.take(scope.named(current.text(entry->d_un.d_val)));
    }
  }
  munmap(memory, sizeof(Scope));
  return stopped;
}

}  // namespace xsp::guest
