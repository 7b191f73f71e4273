#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/status.h"

namespace xsp {

/// A stream that is decompressed in parts.
class Decompression {
 public:
  virtual ~Decompression() = default;
  /// Consumes `used` bytes of `from` and produces `made` bytes, at most `size`. `is_last`: nothing follows `from`. If
  /// it neither uses nor makes any bytes, it needs more input, or is at its end. What was made before an error is
  /// valid.
  virtual Status run(std::string_view from, bool is_last, char* to, size_t size, size_t* used, size_t* made) = 0;
};

/// A decompressor for a stream with these first bytes; null: it is not compressed.
std::unique_ptr<Decompression> make_decompression(std::string_view head);

}  // namespace xsp
