#include "inject/record/shapes.h"

#include <string.h>

#include <charconv>

#include "inject/record/process.h"

namespace xsp::guest {

void Shapes::keep(int most) {
  if (tensors <= most) return;
  tensors = most;
  used = 0;
  for (int tensor = 0; tensor < most; ++tensor) used += 1 + static_cast<int>(sizes[used]);
}

bool Shapes::operator==(const Shapes& other) const {
  return tensors == other.tensors && used == other.used &&
         memcmp(sizes, other.sizes, static_cast<size_t>(used) * sizeof sizes[0]) == 0;
}

std::string_view text_of(const Shapes& shapes, char (&buffer)[kShapesTextBytes]) {
  char* at = buffer;
  char* const end = buffer + sizeof buffer;
  const int64_t* sizes = shapes.sizes;
  for (int tensor = 0; tensor < shapes.tensors; ++tensor) {
    if (tensor > 0) *at++ = ';';
    *at++ = '[';
    const int64_t rank = *sizes++;
    for (int64_t i = 0; i < rank; ++i) {
      if (i > 0) *at++ = ',';
      at = std::to_chars(at, end, *sizes++).ptr;
    }
    *at++ = ']';
  }
  return {buffer, static_cast<size_t>(at - buffer)};
}

uint32_t intern_shapes(const Shapes& shapes) {
  char buffer[kShapesTextBytes];
  return intern(text_of(shapes, buffer));
}

}  // namespace xsp::guest
