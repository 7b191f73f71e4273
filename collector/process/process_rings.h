#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "collector/process/process_context.h"
#include "collector/writing/ring_stream.h"
#include "proto/span_columns.h"

namespace xsp {

/// The rings of a process: a stream for each, the order of their batches, and the memory that they hold together,
/// within the limits per process and in total. Used by one thread.
class ProcessRings {
 public:
  /// `context` is not owned and must outlive this object.
  explicit ProcessRings(ProcessContext& context) : context_(context) {}
  ~ProcessRings() { context_.recording.held_bytes -= held_; }
  ProcessRings(const ProcessRings&) = delete;
  ProcessRings& operator=(const ProcessRings&) = delete;

  /// The stream of a ring; created on first use.
  RingStream& ring(uint32_t index);
  /// Null if nothing has arrived for the ring.
  const RingStream* find(uint32_t index) const { return index < rings_.size() ? rings_[index].get() : nullptr; }
  /// Whether a batch's records are the next of its ring. Records missing before them are counted as lost. A batch that
  /// repeats some is skipped, and the ring continues after it.
  bool are_next(const BatchHead& head);
  /// To be called when a ring that held `before` bytes has grown: if too much is held, writes early what can be
  /// written. Returns an error if that was not enough.
  Status check_held(const RingStream& stream, size_t before);

  /// Writes what waits.
  void flush();
  /// Writes what has waited long enough.
  void flush_if_due(uint64_t now_ns);
  /// Nothing more will come: writes everything, and drops the rings. `keep_held`: including tags and arguments whose
  /// batch did not come.
  void finish(bool keep_held);

 private:
  void count_held();

  ProcessContext& context_;
  std::vector<std::unique_ptr<RingStream>> rings_;
  size_t held_ = 0;  // bytes held in them; may be too high, never too low
};

}  // namespace xsp
