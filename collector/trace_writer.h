#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/output_file.h"
#include "collector/trace_fields.h"
#include "proto/wire_writer.h"

namespace xsp {

/// Spans by level.
using SpanTally = std::array<uint64_t, kLevels>;

/// Appends packets to a trace file through a buffer, and numbers them per process.
///
/// When the disk fails, the file is cut back to its last whole packet and stays readable; later packets are counted
/// and dropped. finish() then still tries to add what closes the trace.
class TraceWriter {
 public:
  static constexpr size_t kDefaultBufferBytes = size_t{256} << 10;

  explicit TraceWriter(OutputFile& file, size_t buffer_bytes = kDefaultBufferBytes);

  /// Appends one packet about `process` (0: the trace). `fill(WireWriter&)` writes the body's fields, at most
  /// `capacity` bytes. `spans` are those the packet carries.
  template <typename Fill>
  void write(uint32_t process, Body body, size_t capacity, Fill&& fill, const SpanTally& spans = {}) {
    if (scratch_.size() < capacity) scratch_.resize(capacity);
    WireWriter writer(scratch_.data(), scratch_.size());
    fill(writer);
    append(process, body, writer, spans);
  }

  /// Hands the buffer to the file.
  void flush();

  /// After a failure: makes one more attempt for the packets that close the trace. They go out in one write or not at
  /// all.
  void reopen_for_closing();

  bool failed() const { return error_ != 0; }
  /// errno of the first failed write, 0: none.
  int error() const { return error_; }
  /// Bytes in the file, whole packets only.
  uint64_t bytes() const { return bytes_; }
  /// Packets that were not written.
  uint64_t lost_packets() const { return lost_packets_; }
  /// Spans in the file and in the buffer.
  const SpanTally& spans() const { return spans_; }

 private:
  struct PacketEnd {
    size_t offset;  // in the buffer
    SpanTally spans;
  };

  void append(uint32_t process, Body body, const WireWriter& writer, const SpanTally& spans);
  void lose_from(size_t packet);

  OutputFile& file_;
  size_t buffer_bytes_;
  std::vector<uint8_t> buffer_;
  std::vector<PacketEnd> packet_ends_;  // of the packets in buffer_
  std::vector<uint8_t> scratch_;
  std::vector<uint64_t> sequences_;  // by process
  uint64_t bytes_ = 0;
  uint64_t lost_packets_ = 0;
  SpanTally spans_{};
  int error_ = 0;
  bool stopped_ = false;
};

}  // namespace xsp
