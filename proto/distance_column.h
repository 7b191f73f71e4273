#pragma once

#include <cstdint>

#include "proto/wire_writer.h"

namespace xsp {

/// Ids that mostly follow each other, as varints: 0 stays 0, else 1 + zigzag of the difference to the last one that was
/// not 0.
class DistanceColumn {
 public:
  uint64_t encode(uint64_t id) {
    if (id == 0) return 0;
    const auto delta = static_cast<int64_t>(id - last_);
    last_ = id;
    return zigzag(delta) + 1;
  }
  /// The reverse. Any value gives some id.
  uint64_t decode(uint64_t value) {
    if (value == 0) return 0;
    const uint64_t distance = value - 1;
    last_ += (distance >> 1) ^ (~(distance & 1) + 1);
    return last_;
  }

 private:
  uint64_t last_ = 0;
};

/// The difference of two ids of 32 bits as a column of them has it.
constexpr uint32_t zigzag_difference(uint32_t id, uint32_t before) {
  const auto delta = static_cast<int32_t>(id - before);
  return static_cast<uint32_t>(delta) << 1 ^ static_cast<uint32_t>(delta >> 31);
}

}  // namespace xsp
