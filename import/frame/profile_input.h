#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/status.h"

namespace xsp {

/// Reports how far an input was read: bytes of the file, and its size (0: not known).
using ImportProgress = std::function<void(uint64_t read, uint64_t size)>;

/// The bytes of one input, decompressed: plain, gzip or zstd, recognised by its first bytes. A stream of more than
/// `kMaxExpansion` times the compressed size and more than kMaxExpandedBytes ends with an error ("zip bomb").
class ProfileInput : public ByteSource {
 public:
  static constexpr uint64_t kMaxExpansion = 1000;
  static constexpr uint64_t kMaxExpandedBytes = uint64_t{4} << 30;

  /// As the user named it.
  virtual const std::string& path() const = 0;
  /// The first bytes, without consuming them: at least `size` unless the input is shorter.
  virtual std::string_view head(size_t size) = 0;
  /// Why reading stopped early (damaged compression, an I/O error); ok at the end.
  virtual Status error() const = 0;
  /// Decompressed bytes read so far: the position given in messages about bad input.
  virtual uint64_t position() const = 0;
  /// A plain file that holds the whole input, for libraries that need one (SQLite); a compressed or piped input is
  /// written to a temporary file that is removed with this object. Where that cannot be written, the status has a hint
  /// and an exit code.
  virtual Status as_file(std::string* path) = 0;
};

/// Opens a file, or "-" for standard input. `progress` may be empty.
Status open_profile_input(const std::string& path, ImportProgress progress, std::unique_ptr<ProfileInput>* input);

}  // namespace xsp
