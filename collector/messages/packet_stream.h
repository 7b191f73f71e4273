#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace xsp {

/// Cuts a byte stream into packets: 0x0A, the length as a varint, the packet (proto/README.md). Keeps at most one
/// unfinished packet, in memory that grows with the bytes received.
class PacketStream {
 public:
  /// Calls `take(data, size)` for every complete packet; it returns a Status, and an error ends the stream. Bytes of an
  /// unfinished packet are kept for the next call.
  template <typename Take>
  Status feed(const uint8_t* data, size_t size, Take&& take) {
    while (size > 0) {
      if (!pending_.empty()) {
        const size_t part = std::min(missing(), size);
        pending_.insert(pending_.end(), data, data + part);
        data += part;
        size -= part;
        const Head head = read_head(pending_.data(), pending_.size());
        if (head.broken) return broken();
        if (!head.whole || pending_.size() < head.size + head.length) continue;
        Status status = take(pending_.data() + head.size, head.length);
        pending_.clear();
        if (!status.ok()) return status;
        continue;
      }
      const Head head = read_head(data, size);
      if (head.broken) return broken();
      if (!head.whole || size < head.size + head.length) {
        pending_.assign(data, data + size);
        break;
      }
      Status status = take(data + head.size, head.length);
      if (!status.ok()) return status;
      data += head.size + head.length;
      size -= head.size + head.length;
    }
    if (pending_.empty() && pending_.capacity() > 0) pending_ = std::vector<uint8_t>();
    return Status();
  }

  /// Bytes kept of an unfinished packet.
  size_t pending_bytes() const { return pending_.size(); }

 private:
  struct Head {
    size_t size = 0;    // of tag and length
    size_t length = 0;  // of the packet
    bool whole = false;
    bool broken = false;
  };

  static Head read_head(const uint8_t* data, size_t size);
  static Status broken();
  /// Bytes to take before looking at pending_ again.
  size_t missing() const;

  std::vector<uint8_t> pending_;
};

}  // namespace xsp
