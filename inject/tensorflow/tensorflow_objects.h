#pragma once

#include <cstddef>

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// TensorFlow's libraries that are loaded, up to eight of them.
struct TensorflowObjects {
  static constexpr size_t kMost = 8;
  ElfObject objects[kMost];
  size_t count = 0;

  /// The function of this name, whichever of them defines it.
  void* find(const char* symbol) const;
};
TensorflowObjects find_tensorflow_objects();

}  // namespace xsp::guest
