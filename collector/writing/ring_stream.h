#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/writing/trace_writer.h"
#include "proto/shared_memory.h"
#include "proto/span_columns.h"

namespace xsp {

/// A key-value pair of a TagBatch: string ids of the process.
struct SpanTag {
  uint32_t thread = 0;
  uint32_t span = 0;
  uint32_t key = 0;
  uint32_t value = 0;
};

/// An entry of an ArgumentBatch; its values are kept elsewhere.
struct SpanArguments {
  uint32_t thread = 0;
  uint32_t span = 0;
  uint32_t layout = 0;
  uint32_t length = 0;
};

inline constexpr size_t kMaxHeldTags = 16384;      // per ring
inline constexpr size_t kMaxHeldArguments = 4096;  // calls of one batch, per ring
/// Upper bound on the bytes of one call's arguments.
inline constexpr size_t kMaxArgumentBytes = shm::kArgumentBytes * shm::kMaxArgumentParts;

/// The spans of one ring of one process on their way to the trace. Knows which record comes next, so that each counts
/// once, and merges small batches, so that a thread that records slowly does not pay for a packet head per span.
class RingStream {
 public:
  /// `process` and `ring` as in the trace.
  RingStream(uint32_t process, uint32_t ring) : process_(process), ring_(ring) {}

  /// Ring sequence of the next record to take.
  uint64_t next_record() const { return next_record_; }
  /// Continues after lost records.
  void skip_to(uint64_t record) {
    next_record_ = record;
    without_spans_ = 0;
  }

  /// The thread of the latest batch's records, if a batch has come.
  std::optional<uint32_t> latest_thread() const { return latest_thread_; }

  /// Takes `count` spans that stand for the next `record_count` records, their times in nanoseconds.
  void append(uint32_t thread, uint32_t record_count, const SpanRow* rows, size_t count, uint64_t now_ns,
              TraceWriter& writer);
  /// Holds tags until the batch that covers their records has come.
  void hold_tag(const SpanTag& tag, TraceWriter& writer);
  void write_held_tags(TraceWriter& writer);

  /// Holds a call's arguments, at most kMaxArgumentBytes, until the batch that covers their records is appended; they
  /// are written before that batch. False: more than a batch can have.
  bool hold_arguments(uint32_t thread, uint32_t span, uint32_t layout, std::string_view values);
  /// Treats held arguments as covered, where no batch will come.
  void keep_held_arguments() { covered_arguments_ = arguments_.size(); }

  /// Drops the tags and arguments whose batch has not come.
  void drop_held();
  /// Whether tags or arguments are waiting for their batch or to be written.
  bool holds_for_spans() const { return !tags_.empty() || !arguments_.empty(); }
  /// Drops held tags and arguments of spans that are not stored.
  void drop_held_of(const std::vector<uint32_t>& spans);

  /// Writes what is buffered.
  void flush(TraceWriter& writer);
  /// Writes all that can be written, including held tags, and frees its memory. Only arguments whose batch has not come
  /// remain.
  void release(TraceWriter& writer);
  /// The memory in use.
  size_t held_bytes() const;
  /// Writes what has waited long enough, and frees memory that a quiet ring does not need.
  void flush_if_due(uint64_t now_ns, TraceWriter& writer);

 private:
  void write_covered_arguments(TraceWriter& writer);
  void write_batch(uint64_t first_record, uint32_t record_count, const SpanRow* rows, size_t count,
                   TraceWriter& writer);

  uint32_t process_;
  uint32_t ring_;
  uint64_t next_record_ = 0;
  std::optional<uint32_t> latest_thread_;
  uint32_t without_spans_ = 0;  // earlier records, of batches without a span: the next packet covers them too
  uint32_t thread_ = 0;
  uint64_t first_record_ = 0;
  uint32_t record_count_ = 0;
  uint64_t waiting_since_ = 0;
  std::vector<SpanRow> rows_;
  std::vector<SpanTag> tags_;
  std::vector<SpanArguments> arguments_;
  std::string argument_values_;  // of all `arguments_`, one after another
  size_t covered_arguments_ = 0;
};

}  // namespace xsp
