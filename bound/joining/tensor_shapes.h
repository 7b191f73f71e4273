#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {

/// All shapes of a text such as "[1,64,56,56];[64]" or "f32[1,64];(f32[2],f32[3])", in order. Where a dimension is no
/// number it is -1.
std::vector<std::vector<int64_t>> shapes_in(std::string_view text);

/// What is the same of a shape in any layout: its dimensions without ones, in ascending order.
std::string shape_key(std::vector<int64_t> shape);

/// The same of a product, whose leading dimensions may be folded: elements and last dimension.
std::string product_shape_key(const std::vector<int64_t>& shape);

/// The same of a transposition, which a runtime may move behind a change of shape: elements.
std::string element_count_key(const std::vector<int64_t>& shape);

/// Whether two shapes may be those of one tensor: in another layout, with leading dimensions folded or, with
/// `is_blocked`, with the channels of the first one rounded up to a multiple of 4, 8 or 16.
bool may_be_one_tensor(const std::vector<int64_t>& traced, const std::vector<int64_t>& modelled, bool is_blocked);

/// Whether they differ in the first dimension alone.
bool differ_in_batch(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

/// "[1,3,224,224]".
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace xsp::bound
