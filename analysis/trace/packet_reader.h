#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/byte_source.h"

namespace xsp::analysis {

/// Cuts the bytes of a Trace message into packets (trace.proto: field 1, length-delimited), in bounded memory. Fields
/// of the Trace it does not know are skipped.
class PacketReader {
 public:
  /// A packet on the socket is at most 1 MiB; a longer one than this in a file is damage.
  static constexpr uint64_t kMaxPacketBytes = uint64_t{64} << 20;

  explicit PacketReader(ByteSource& source) : source_(source) {}

  /// The next packet, valid until the next call. False at the end, after damage, or on a read error.
  bool next(std::string_view* packet);

  /// The first bytes of the input, for telling what a foreign file is. Call before next().
  std::string_view head(size_t size);

  uint64_t bytes_read() const { return bytes_read_; }
  /// Bytes at the end that form no whole packet: a torn tail, or all that stands behind damaged framing.
  uint64_t unreadable_bytes() const { return unreadable_bytes_; }
  bool damaged() const { return damaged_; }
  std::string read_error() const { return source_.error(); }

 private:
  bool fill(size_t wanted);
  bool varint(size_t* at, uint64_t* value);
  bool stop(bool damaged);

  ByteSource& source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  bool damaged_ = false;
  uint64_t bytes_read_ = 0;
  uint64_t unreadable_bytes_ = 0;
};

}  // namespace xsp::analysis
