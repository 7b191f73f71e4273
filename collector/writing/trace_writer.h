#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collector/writing/output_file.h"
#include "collector/writing/trace_fields.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {

/// The largest packet that readers accept: one mebibyte.
inline constexpr size_t kMaxPacketBytes = size_t{1} << 20;

/// Rows wait this long if there are then enough for a packet of their own, and longer otherwise.
inline constexpr uint64_t kFlushAgeNs = 1'000'000'000;
inline constexpr uint64_t kFlushAnyAgeNs = 10'000'000'000;

/// Spans by level.
using SpanTally = std::array<uint64_t, kLevels>;

/// Appends packets to a trace file through a buffer, and numbers them per process.
///
/// When the disk fails, the file is cut back to its last whole packet and stays readable; later packets are counted and
/// dropped. reopen_for_closing() then lets the caller try once more to add what closes the trace.
class TraceWriter {
 public:
  static constexpr size_t kDefaultBufferBytes = size_t{256} << 10;

  explicit TraceWriter(OutputFile& file, size_t buffer_bytes = kDefaultBufferBytes);

  /// Appends one packet about `process` (0: the trace). `fill(WireWriter&)` writes the body's fields, at most
  /// `capacity` bytes. `spans`: those that the packet carries.
  template <typename Fill>
  void write(uint32_t process, Body body, size_t capacity, Fill&& fill, const SpanTally& spans = {}) {
    if (scratch_.size() < capacity) scratch_.resize(capacity);
    WireWriter writer(scratch_.data(), scratch_.size());
    fill(writer);
    append(process, body, writer, spans);
  }

  /// The same for a message that has only plain fields.
  template <typename Message>
  void write(uint32_t process, const Message& message) {
    write(process, Message::kBody, wire::capacity(message), [&](WireWriter& body) { wire::write(body, message); });
  }

  /// Hands the buffer to the file.
  void flush();

  /// Continues in another file as if nothing had been written: packets are numbered from the beginning, and a failure
  /// is forgotten. The previous file must have been flushed.
  void begin_file(OutputFile& file);
  /// No more packets will come about this process.
  void forget(uint32_t process) { sequences_.erase(process); }
  /// Limits the file to `bytes`. Packets that do not fit are counted and left out: first spans and what describes them,
  /// then counts, so that there is room for what closes the trace.
  void set_limit(uint64_t bytes, uint64_t room_for_counts);
  /// How many bytes a packet with this body may still take.
  uint64_t room(Body body) const;

  /// After a failure: makes one more attempt for the packets that close the trace. They go out in one write or not at
  /// all. A file without its header stays empty: what closes it could not be read.
  void reopen_for_closing();

  bool failed() const { return error_ != 0; }
  /// errno of the first failed write, 0: none.
  int error() const { return error_; }
  /// Bytes in the file, whole packets only.
  uint64_t bytes() const { return bytes_; }
  /// Bytes in the file and in the buffer.
  uint64_t file_bytes() const { return bytes_ + buffer_.size(); }
  /// Bytes of all files and the buffer.
  uint64_t all_bytes() const { return earlier_bytes_ + file_bytes(); }
  /// Packets that were not written.
  uint64_t lost_packets() const { return lost_packets_; }
  /// Spans of these packets.
  uint64_t lost_spans() const { return lost_spans_; }
  /// Packets that were left out because there was no room.
  uint64_t packets_beyond_limit() const { return packets_beyond_limit_; }
  /// Spans in the file and in the buffer.
  const SpanTally& spans() const { return spans_; }
  /// Spans in all files and in the buffer.
  SpanTally all_spans() const;
  /// Processes that the file describes.
  uint32_t processes() const { return processes_; }

 private:
  struct PacketEnd {
    size_t offset;  // in the buffer
    SpanTally spans;
  };

  void append(uint32_t process, Body body, const WireWriter& writer, const SpanTally& spans);
  void lose(const SpanTally& spans);
  void lose_from(size_t packet);

  OutputFile* file_;
  size_t buffer_bytes_;
  std::vector<uint8_t> buffer_;
  std::vector<PacketEnd> packet_ends_;  // of the packets in buffer_
  std::vector<uint8_t> scratch_;
  std::unordered_map<uint32_t, uint64_t> sequences_;  // by process
  uint64_t bytes_ = 0;
  uint64_t earlier_bytes_ = 0;  // of the files before
  uint64_t limit_ = UINT64_MAX;
  uint64_t room_for_counts_ = 0;
  uint64_t lost_packets_ = 0;
  uint64_t lost_spans_ = 0;
  uint64_t packets_beyond_limit_ = 0;
  SpanTally spans_{};
  SpanTally earlier_spans_{};
  uint32_t processes_ = 0;
  int error_ = 0;
  bool stopped_ = false;
};

}  // namespace xsp
