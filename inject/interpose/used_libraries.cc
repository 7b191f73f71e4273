#include "inject/interpose/used_libraries.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "inject/guard/errno_guard.h"
#include "inject/guard/mapped_memory.h"
#include "inject/interpose/binding.h"
#include "inject/interpose/function_table.h"
#include "inject/objects/elf_object.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

constexpr size_t kPathBytes = PATH_MAX;

bool is_wanted(const Process& process) {
  return process.settings.deepest_level >= static_cast<uint8_t>(wire::Level::kLibrary);
}

/// The file that the object was loaded from. The loader knows the path by which it was opened, which may be relative or
/// a link (Debian's libblas.so.3 is one); if that no longer leads anywhere it is taken as it is. `room`: kPathBytes
/// large. Opens nothing: another thread of the program could close our descriptor, and have a file of its own under the
/// number.
std::string_view file_of(const ElfObject& object, char* room) {
  if (object.path[0] != '\0') return realpath(object.path, room) != nullptr ? room : object.path;
  const ssize_t length = readlink("/proc/self/exe", room, kPathBytes);
  return length > 0 ? std::string_view(room, static_cast<size_t>(length)) : std::string_view();
}

/// The caller holds the process's lock.
void add(Process& process, uint32_t function, std::string_view file) {
  const uint32_t library_id = process.strings.intern(process.region, xsp_function_library(function)->name);
  const uint32_t file_id = process.strings.intern(process.region, file);
  if (library_id == 0 || file_id == 0) return;
  shm::SharedHeader* header = process.region.header();
  const uint32_t count = header->used_library_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    const shm::UsedLibrary& known = header->used_libraries[i];
    if (known.library.load(std::memory_order_relaxed) == library_id &&
        known.file.load(std::memory_order_relaxed) == file_id) {
      return;
    }
  }
  // No loss is counted: these are a handful of libraries, and their spans are recorded all the same.
  if (count == shm::kMaxUsedLibraries) return;
  header->used_libraries[count].library.store(library_id, std::memory_order_relaxed);
  header->used_libraries[count].file.store(file_id, std::memory_order_relaxed);
  header->used_library_count.store(count + 1, std::memory_order_release);
}

}  // namespace

void note_used_library(uint32_t function, const void* real) {
  // The binding has been published: either this thread finds the process awake, or the thread that wakes it finds the
  // binding.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Process* process = awake_process();
  ElfObject object;
  if (process == nullptr || !is_wanted(*process) || !find_object(reinterpret_cast<uintptr_t>(real), &object)) return;
  const ErrnoGuard errno_guard;
  const MappedMemory room(kPathBytes);
  if (room.data() == nullptr) return;
  const std::string_view file = file_of(object, reinterpret_cast<char*>(room.data()));
  const LockGuard lock(process->lock);
  add(*process, function, file);
}

void note_bound_libraries(Process& process) {
  // Pairs with the fence of note_used_library().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!is_wanted(process)) return;
  const MappedMemory room(kPathBytes);
  if (room.data() == nullptr) return;
  // Functions of a library stand together in the table and as a rule lie in one file: most need no lookup.
  uint16_t library = UINT16_MAX;
  ElfObject object{};
  for (uint32_t function = 0; function < xsp_function_count; ++function) {
    const xsp_binding* binding = __atomic_load_n(&xsp_bindings[function], __ATOMIC_ACQUIRE);
    for (; binding != nullptr; binding = __atomic_load_n(&binding->next, __ATOMIC_ACQUIRE)) {
      const auto real = reinterpret_cast<uintptr_t>(binding->real);
      if (xsp_functions[function].library == library && object.contains(real)) continue;
      if (!find_object(real, &object)) continue;
      library = xsp_functions[function].library;
      add(process, function, file_of(object, reinterpret_cast<char*>(room.data())));
    }
  }
}

}  // namespace xsp::guest
