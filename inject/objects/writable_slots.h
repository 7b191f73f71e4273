#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// Makes the pages of some words of a loaded object writable in its scope: pointers to functions lie in memory that the
/// loader has made read-only (RELRO).
class WritableSlots {
 public:
  /// False where the pages have different rights, or belong to no segment of the object.
  WritableSlots(const ElfObject& object, const void* slots, size_t bytes);
  ~WritableSlots();
  WritableSlots(const WritableSlots&) = delete;
  WritableSlots& operator=(const WritableSlots&) = delete;

  explicit operator bool() const { return writable_; }

 private:
  void* address() const { return reinterpret_cast<void*>(low_); }

  uintptr_t low_ = 0;
  size_t bytes_ = 0;
  int protection_ = -1;
  bool changed_ = false;
  bool writable_ = false;
};

/// Replaces a function's address by another one in the object's relocated constants, where virtual tables lie. Returns
/// how many words had it. A word that is called at the same moment has one of the two.
size_t replace_function(const ElfObject& object, const void* from, const void* to);

}  // namespace xsp::guest
