#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xsp::guest {

/// Shapes of up to eight tensors, flattened: rank, then sizes, per tensor. Kept to be compared as a whole, so that an
/// unchanged input does not need its text made again.
struct Shapes {
  static constexpr int kMaxTensors = 8;
  static constexpr int kMaxRank = 8;
  static constexpr int kMostSizes = kMaxTensors * (kMaxRank + 1);

  int tensors = 0;
  int used = 0;
  int64_t sizes[kMostSizes];

  /// Keeps the first of them only.
  void keep(int most);

  bool operator==(const Shapes& other) const;
};

/// "[1,3,224,224];[1,77]". The text lies in `buffer`.
inline constexpr size_t kShapesTextBytes = size_t{Shapes::kMostSizes} * 21;
std::string_view text_of(const Shapes& shapes, char (&buffer)[kShapesTextBytes]);

/// String id of that text; 0 for no tensors.
uint32_t intern_shapes(const Shapes& shapes);

}  // namespace xsp::guest
