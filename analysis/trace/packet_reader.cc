#include "analysis/trace/packet_reader.h"

#include <algorithm>
#include <cstring>

#include "proto/trace_messages.h"

namespace xsp::analysis {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

}  // namespace

/// Makes `wanted` bytes available from begin_, if the source has them. The buffer grows with what arrives.
bool PacketReader::fill(size_t wanted) {
  while (end_ - begin_ < wanted && !at_end_) {
    if (begin_ != 0 && end_ + kChunk > buffer_.size()) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ + kChunk > buffer_.size()) buffer_.resize(std::max(end_ + kChunk, 2 * buffer_.size()));
    const ptrdiff_t got = source_.read(buffer_.data() + end_, kChunk);
    if (got <= 0) {
      at_end_ = true;
      break;
    }
    end_ += static_cast<size_t>(got);
    bytes_read_ += static_cast<uint64_t>(got);
  }
  return end_ - begin_ >= wanted;
}

std::string_view PacketReader::head(size_t size) {
  fill(size);
  return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

/// Reads a varint `*at` bytes behind begin_. False when it is cut off or longer than ten bytes.
bool PacketReader::varint(size_t* at, uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (!fill(*at + 1)) return false;
    const auto byte = static_cast<uint8_t>(buffer_[begin_ + (*at)++]);
    *value |= uint64_t{byte & 0x7fu} << std::min(shift, 63u);
    if (byte < 0x80) return true;
  }
  damaged_ = true;
  return false;
}

bool PacketReader::stop(bool damaged) {
  damaged_ |= damaged;
  unreadable_bytes_ = end_ - begin_;
  begin_ = end_;
  while (fill(1)) {
    unreadable_bytes_ += end_ - begin_;
    begin_ = end_;
  }
  return false;
}

bool PacketReader::next(std::string_view* packet) {
  while (fill(1)) {
    size_t at = 0;
    uint64_t tag = 0;
    if (!varint(&at, &tag)) return stop(false);
    const uint64_t field = tag >> 3;
    if (field == 0 || field > 0x1fffffff) return stop(true);

    uint64_t length = 0;
    switch (tag & 7) {
      case kVarint:
        if (uint64_t ignored = 0; !varint(&at, &ignored)) return stop(false);
        break;
      case kFixed64:
        length = 8;
        break;
      case kFixed32:
        length = 4;
        break;
      case kDelimited:
        if (!varint(&at, &length)) return stop(false);
        break;
      default:
        return stop(true);
    }
    if (length > kMaxPacketBytes) return stop(true);
    if (!fill(at + length)) return stop(false);
    const std::string_view body(buffer_.data() + begin_ + at, length);
    begin_ += at + length;
    if (field == wire::Trace::kPacket && (tag & 7) == kDelimited) {
      *packet = body;
      return true;
    }
  }
  return false;
}

}  // namespace xsp::analysis
