#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bound/onnx/element_type.h"

namespace xsp::bound {

/// Whether elements of this type can be written and read here: numbers of whole bytes, and booleans.
bool has_plain_bytes(ElementType type);

/// Numbers as elements of a type, rounded to nearest (ties to even) and cut off at its ends; `bytes` has room for them.
void write_elements(std::span<const float> values, ElementType type, void* bytes);

/// `count` elements of a type as numbers.
std::vector<float> read_elements(const void* bytes, size_t count, ElementType type);

}  // namespace xsp::bound
