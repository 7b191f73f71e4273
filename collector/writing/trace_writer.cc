#include "collector/writing/trace_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/log.h"

namespace xsp {
namespace {

constexpr uint64_t kVarint = 0;
constexpr uint64_t kFixed64 = 1;
constexpr uint64_t kDelimited = 2;
constexpr size_t kMaxPacketHeadBytes = 64;
constexpr size_t kMostScratchBytes = size_t{2} << 20;  // kept from packet to packet

/// Removes the padding that WireWriter leaves in the lengths of a message's fields: 30 bytes for a SpanBatch. Returns
/// the new size.
size_t compact_lengths(uint8_t* data, size_t size) {
  const uint8_t* from = data;
  const uint8_t* const end = data + size;
  uint8_t* to = data;
  const auto copy_varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      value |= uint64_t{static_cast<uint8_t>(*from & 0x7f)} << shift;
      if ((*from++ & 0x80) == 0) break;
    }
    for (uint64_t rest = value;; rest >>= 7) {
      *to++ = static_cast<uint8_t>(rest < 0x80 ? rest : rest | 0x80);
      if (rest < 0x80) break;
    }
    return value;
  };
  while (from != end) {
    const uint64_t wire_type = copy_varint() & 7;
    const uint64_t length = wire_type == kFixed64 ? sizeof(uint64_t) : copy_varint();
    if (wire_type == kVarint) continue;
    std::memmove(to, from, length);
    to += length;
    from += length;
  }
  return static_cast<size_t>(to - data);
}

}  // namespace

TraceWriter::TraceWriter(OutputFile& file, size_t buffer_bytes) : file_(&file), buffer_bytes_(buffer_bytes) {
  buffer_.reserve(buffer_bytes_);
}

void TraceWriter::begin_file(OutputFile& file) {
  file_ = &file;
  earlier_bytes_ += bytes_;
  bytes_ = 0;
  for (size_t level = 0; level < kLevels; ++level) earlier_spans_[level] += spans_[level];
  spans_ = {};
  processes_ = 0;
  sequences_.clear();
  error_ = 0;
  stopped_ = false;
}

void TraceWriter::set_limit(uint64_t bytes, uint64_t room_for_counts) {
  limit_ = bytes;
  room_for_counts_ = room_for_counts;
}

uint64_t TraceWriter::room(Body body) const {
  // What must stay free for more important packets. Those that close the trace may use the last byte.
  uint64_t kept = 0;
  switch (body) {
    case Body::kLoss:
    case Body::kNotice:
    case Body::kProcessEnd:
    case Body::kTraceEnd:
      break;
    case Body::kAggregates:
    case Body::kGap:
    case Body::kClock:
    case Body::kSampling:
    case Body::kOverhead:
      kept = room_for_counts_ / 8;
      break;
    default:
      kept = room_for_counts_ / 4;
  }
  const uint64_t used = file_bytes() + kept;
  return used < limit_ ? limit_ - used : 0;
}

SpanTally TraceWriter::all_spans() const {
  SpanTally all = spans_;
  for (size_t level = 0; level < kLevels; ++level) all[level] += earlier_spans_[level];
  return all;
}

void TraceWriter::append(uint32_t process, Body body, const WireWriter& writer, const SpanTally& spans) {
  uint64_t& sequence = sequences_[process];
  if (stopped_ || writer.failed()) {
    // Counted all the same: the gap in the numbers tells readers that packets are missing.
    ++sequence;
    lose(spans);
    return;
  }

  const size_t size = compact_lengths(scratch_.data(), writer.size());
  if (limit_ != UINT64_MAX && size + kMaxPacketHeadBytes > room(body)) {
    ++packets_beyond_limit_;
    return;
  }
  ++sequence;
  uint8_t inner[64];
  WireWriter head(inner, sizeof inner);
  head.uint64(wire::Packet::kProcess, process);
  head.uint64(wire::Packet::kSequence, sequence);
  head.varint(uint64_t{static_cast<uint32_t>(body)} << 3 | kDelimited);
  head.varint(size);
  uint8_t outer[16];
  WireWriter frame(outer, sizeof outer);
  frame.varint(uint64_t{wire::Trace::kPacket} << 3 | kDelimited);
  frame.varint(head.size() + size);

  const size_t total = frame.size() + head.size() + size;
  if (!buffer_.empty() && buffer_.size() + total > buffer_bytes_) flush();
  if (stopped_) {
    lose(spans);
    return;
  }
  // All memory is reserved before the first byte is copied: half a packet would make the file unreadable.
  buffer_.reserve(buffer_.size() + total);
  packet_ends_.reserve(packet_ends_.size() + 1);
  buffer_.insert(buffer_.end(), frame.data(), frame.data() + frame.size());
  buffer_.insert(buffer_.end(), head.data(), head.data() + head.size());
  buffer_.insert(buffer_.end(), scratch_.data(), scratch_.data() + size);
  packet_ends_.push_back({buffer_.size(), spans});
  if (body == Body::kHello) ++processes_;
  for (size_t level = 0; level < kLevels; ++level) spans_[level] += spans[level];
}

void TraceWriter::flush() {
  size_t written = 0;
  const bool was_stopped = stopped_;
  while (written < buffer_.size()) {
    const ssize_t result = file_->write(buffer_.data() + written, buffer_.size() - written);
    if (result <= 0) {
      if (error_ == 0) error_ = result == 0 ? EIO : static_cast<int>(-result);
      stopped_ = true;
      break;
    }
    written += static_cast<size_t>(result);
  }

  size_t whole = packet_ends_.size();
  if (stopped_) {
    const auto torn = std::find_if(packet_ends_.begin(), packet_ends_.end(),
                                   [&](const PacketEnd& end) { return end.offset > written; });
    whole = static_cast<size_t>(torn - packet_ends_.begin());
    lose_from(whole);
  }
  const size_t kept = whole == 0 ? 0 : packet_ends_[whole - 1].offset;
  bytes_ += kept;
  // If a torn packet cannot be cut off, readers ignore it; but nothing may follow it, so reopen_for_closing() tries the
  // cut again before anything is appended.
  if (kept != written) (void)file_->truncate(bytes_);
  buffer_.clear();
  packet_ends_.clear();
  if (buffer_.capacity() > 2 * buffer_bytes_) {
    buffer_.shrink_to_fit();
    buffer_.reserve(buffer_bytes_);
  }
  if (scratch_.size() > kMostScratchBytes) scratch_ = std::vector<uint8_t>();
  // Last: even without memory for the text, what was written is already accounted for.
  if (stopped_ && !was_stopped && log::writes(log::Level::kWarning)) {
    log::warning(std::string("cannot write the trace: ") + std::strerror(error_));
  }
}

void TraceWriter::lose(const SpanTally& spans) {
  ++lost_packets_;
  for (const uint64_t count : spans) lost_spans_ += count;
}

void TraceWriter::lose_from(size_t packet) {
  for (size_t i = packet; i < packet_ends_.size(); ++i) {
    lose(packet_ends_[i].spans);
    for (size_t level = 0; level < kLevels; ++level) spans_[level] -= packet_ends_[i].spans[level];
  }
}

void TraceWriter::reopen_for_closing() {
  if (!stopped_ || bytes_ == 0) return;
  if (file_->truncate(bytes_) == 0) stopped_ = false;
}

}  // namespace xsp
