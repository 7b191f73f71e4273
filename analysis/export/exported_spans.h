#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "analysis/timeline/kernel_metrics.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/timeline/surroundings.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/trace/launch_configuration.h"

namespace xsp::analysis {

/// A span as exports write it. ExportedSpans has its strings.
struct ExportedSpan {
  Row row = kNoRow;
  Level level = Level::kUnspecified;
  Kind kind = Kind::kUnspecified;
  uint32_t process = 0;               // index of Trace::processes
  uint32_t thread = 0;                // 0 of an execution
  uint32_t execution = kNoExecution;  // index of Trace::executions, of a span of the device level
  int64_t begin = 0;                  // ns of the export's clock
  int64_t end = 0;
  uint64_t correlation = 0;  // of an execution and of the call that launched it; 0: none
  Row parent = kNoRow;       // of an execution its launch
};

/// Where a span belongs. `layer_index` is the layer's place in its evaluation, as in A2.
struct SpanPlace {
  static constexpr uint32_t kNoLayer = UINT32_MAX;

  Row layer = kNoRow;
  uint32_t layer_index = kNoLayer;
  uint32_t evaluation = kNoEvaluation;
  Row library_call = kNoRow;  // the outermost one around it
  Row operator_row = kNoRow;  // the innermost operator of a framework around it
  Row launch = kNoRow;        // of an execution
  bool backward = false;
};

/// What happens one after another, or one inside the other: a thread, or a queue of a device.
struct ExportedTrack {
  /// What executed in a stream, what waited in it, ranges that were named, and what else a device told.
  enum class What : uint8_t { kThread, kStream, kWaiting, kRange, kOther };
  static constexpr size_t kWhats = 5;

  What what = What::kThread;
  uint32_t process = 0;
  uint32_t thread = 0;  // of kThread
  Queue queue;          // of the others
  size_t first = 0;     // of its rows
  size_t count = 0;
};

/// A named attribute of a span: an argument of a call as its layout names it.
struct SpanArgument {
  enum class Kind : uint8_t { kInteger, kNumber, kText };

  std::string_view name;
  Kind kind = Kind::kText;
  int64_t integer = 0;
  double number = 0;
  std::string_view text;  // valid UTF-8, until the next argument
};

/// All spans of the input for an export: in order of rows, or track by track in order of begin, outer before inner.
/// Costs eight bytes a span, and sixteen a span of the track that is being sorted.
class ExportedSpans {
 public:
  explicit ExportedSpans(const AnalysedTrace& analysed);

  const AnalysedTrace& analysed() const { return analysed_; }
  const Trace& trace() const { return trace_; }
  size_t size() const { return trace_.spans.size(); }

  ExportedSpan of(Row row) const;

  /// By process; in each its threads, then its queues by device.
  const std::vector<ExportedTrack>& tracks() const { return tracks_; }
  /// Rows of a track, which the first call sorts.
  std::span<const Row> rows(const ExportedTrack& track);

  /// Whether times are ns of CLOCK_REALTIME; otherwise CLOCK_MONOTONIC, because part of the input does not tell the
  /// offset. Never negative.
  bool is_realtime() const { return is_realtime_; }
  int64_t begin_ns() const { return begin_ns_; }  // of the first span; 0 without spans
  int64_t monotonic_offset(uint32_t process) const { return offset_of_[process]; }

  /// Text of a string id, valid UTF-8; lives as long as this.
  std::string_view text(uint32_t id);
  /// Name of a span as tables print it, valid UTF-8; lives as long as this.
  std::string_view name(Row row);
  std::string_view type(Row row) { return text(trace_.spans.type[row]); }
  std::string_view shape(Row row) { return text(trace_.spans.shape[row]); }
  /// Shapes; of a node of ONNX Runtime the column has another meaning.
  std::string_view input(Row row) {
    return trace_.spans.kind[row] == Kind::kOrtNode ? std::string_view() : text(trace_.spans.input[row]);
  }

  /// "rank 1 (pid 4242)"; of a set's run "run 5, layer: pid 4242".
  const std::string& process_label(uint32_t process) const { return process_labels_[process]; }
  /// The process's id, replaced if several processes share it or it is 0. Unique in the input.
  uint32_t process_id(uint32_t process) const { return process_ids_[process]; }
  /// "stream 7", "stream 7 (context 2)" where contexts share its number; "thread 4242".
  std::string track_label(const ExportedTrack& track) const;

  SpanPlace place(const ExportedSpan& span);

  /// GPU activities of a call: the first one, or kNoExecution; and the one after a given one.
  uint32_t first_launched(Row launch) const {
    return execution_.empty() || trace_.spans.level[launch] == Level::kDevice ? kNoExecution : execution_[launch];
  }
  uint32_t next_launched(uint32_t execution) const { return next_launched_[execution]; }

  /// Null where nothing is known of an execution.
  const KernelMetrics* metrics(uint32_t execution) const;

  /// Calls `take(const SpanArgument&)` for each argument that was captured.
  template <typename Function>
  void for_each_argument(Row row, Function&& take) const;

 private:
  void index_executions();
  void find_tracks();
  void find_clock();
  void name_processes();
  bool argument(const CallArguments& call, const ArgumentField& field, std::string* buffer, SpanArgument* to) const;

  const AnalysedTrace& analysed_;
  const Trace& trace_;
  std::vector<ExportedTrack> tracks_;
  std::vector<Row> rows_;                // by track
  std::vector<uint8_t> sorted_;          // by track
  std::vector<uint32_t> execution_;      // by row: of the device level its own, of others the first one launched
  std::vector<uint32_t> next_launched_;  // by execution
  std::vector<int64_t> offset_of_;       // by process
  std::vector<std::string> process_labels_;
  std::vector<uint32_t> process_ids_;
  bool is_realtime_ = false;
  int64_t begin_ns_ = 0;
  KernelNames kernel_names_;
  std::unordered_map<uint32_t, std::string> repaired_;          // by string id
  std::unordered_map<uint32_t, std::string> repaired_kernels_;  // likewise
  std::vector<uint8_t> checked_;                                // by string id: valid, or not
  SurroundingsSearch around_;
};

template <typename Function>
void ExportedSpans::for_each_argument(Row row, Function&& take) const {
  const uint32_t entry = trace_.spans.arguments_of(row);
  if (entry == SpanTable::kNoArguments) return;
  const CallArguments call(trace_, row);
  std::string buffer;
  for (const ArgumentField& field : trace_.arguments.layout(entry).fields) {
    SpanArgument found;
    if (argument(call, field, &buffer, &found)) take(found);
  }
}

}  // namespace xsp::analysis
