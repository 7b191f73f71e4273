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
/// within the limits of one process and of all. One thread uses it.
class ProcessRings {
 public:
  /// `context` is not owned and must live as long.
  explicit ProcessRings(ProcessContext& context) : context_(context) {}
  ~ProcessRings() { context_.recording.held_bytes -= held_; }
  ProcessRings(const ProcessRings&) = delete;
  ProcessRings& operator=(const ProcessRings&) = delete;

  /// The stream of a ring, which is made when it is asked for first.
  RingStream& ring(uint32_t index);
  /// Null where nothing came of the ring.
  const RingStream* find(uint32_t index) const { return index < rings_.size() ? rings_[index].get() : nullptr; }
  /// Whether a batch's records are the next of its ring. What is missing before them is counted; after a batch that
  /// repeats some, the ring goes on.
  bool are_next(const BatchHead& head);
  /// A ring grew that held `before` bytes: writes early what it can if that is too much. An error: that was not enough.
  Status check_held(const RingStream& stream, size_t before);

  /// Writes what waits.
  void flush();
  /// Writes what has waited long enough.
  void flush_if_due(uint64_t now_ns);
  /// No more will come: writes everything, and forgets the rings. `keep_held`: also tags and arguments whose batch did
  /// not come.
  void finish(bool keep_held);

 private:
  void count_held();

  ProcessContext& context_;
  std::vector<std::unique_ptr<RingStream>> rings_;
  size_t held_ = 0;  // in them; never less than it is
};

}  // namespace xsp
