#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/aggregates.h"
#include "analysis/trace/argument_table.h"
#include "analysis/trace/counter_table.h"
#include "analysis/trace/execution_table.h"
#include "analysis/trace/experiment_run.h"
#include "analysis/trace/recording_parts.h"
#include "analysis/trace/span_table.h"
#include "analysis/trace/string_table.h"
#include "proto/environment.h"
#include "proto/trace_messages.h"

namespace xsp::analysis {

/// A call that was in progress when its process ended.
struct OpenSpan {
  uint32_t process = 0;
  uint32_t thread = 0;
  int64_t begin = 0;
  uint32_t name = 0;
  Level level = Level::kUnspecified;
};

using wire::GapReason;
using wire::LossReason;

struct Loss {
  uint64_t count = 0;
  std::string detail;
};

using ProcessEnd = wire::ProcessEndHow;
using wire::UninterceptedReason;

/// ThreadCounts of trace.proto: with how many threads the model calls of a process were computed.
struct ThreadCounts {
  wire::ThreadCounts totals;             // cores, own, ended, sessions
  std::vector<wire::ThreadCount> calls;  // as they came
  std::vector<wire::ThreadSwitch> switches;
};

struct Process {
  uint32_t segment = 0;
  uint32_t number = 0;  // in the file
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  std::string executable;
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  int64_t start_ns = 0;
  bool said_hello = false;

  ProcessEnd ended = ProcessEnd::kUnspecified;
  std::string end_reason;
  int64_t end_ns = 0;
  uint64_t guest_cpu_ns = 0;
  uint64_t announced_spans = 0;

  uint64_t spans = 0;  // loaded
  std::array<Loss, wire::kLossReasonCount> losses;
  uint64_t sequence_gaps = 0;
  uint64_t missing_packets = 0;
  uint64_t clock_error_ns = 0;
  bool has_clock = false;
  uint64_t device_clock_error_ns = 0;  // of CUPTI's clock
  bool has_device_clock = false;
  std::optional<wire::Sampling> sampling;
  std::optional<wire::Overhead> overhead;
  std::optional<ThreadCounts> thread_counts;  // of xsp-run --concurrency and xsp-bench --threads

  /// Value of a variable of Hello.environment, or null.
  const std::string* variable(std::string_view name) const {
    for (const auto& [key, value] : environment) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  /// Whether kernels were to be recorded, as far as the trace tells (xsp-run --activities).
  bool records_kernels() const {
    const std::string* list = variable(variable::kActivities);
    return list == nullptr || ("," + *list + ",").find(",kernel,") != std::string::npos;
  }
};

/// What lies between one TraceHeader and the next: a file has several after a concatenation. The parts of one recording
/// are one segment.
struct Segment {
  uint32_t file = 0;
  bool has_header = false;
  std::string producer;
  std::string hostname;            // of the machine it was recorded on; empty: not told
  std::string cpu_model;           // likewise
  uint32_t cpu_count = 0;          // likewise
  std::string kernel;              // of its operating system, likewise
  std::string trace_id;            // 16 random bytes; empty: not told
  int64_t realtime_offset_ns = 0;  // CLOCK_REALTIME - CLOCK_MONOTONIC; 0: not told
  int64_t begin_ns = 0;            // when the recording began; 0: not told
  std::string requested_level;
  std::vector<std::string> command;
  std::string source;  // format of an imported profile; empty: recorded by XSP
  std::vector<std::string> source_files;
  std::string layers;                   // what the user chose when it was imported; see SpanRoleOptions
  std::string model_span;               // likewise
  bool counted = false;                 // recorded while counters were read: its times stand for nothing
  std::optional<ExperimentRun> run;     // of a set; nothing: a recording by itself
  std::optional<RecordingParts> parts;  // of a recording that is kept in several files
  bool ended = false;                   // of parts: the last one, and so on
  bool complete = false;
  std::string end_reason;
  int64_t end_ns = 0;  // CLOCK_MONOTONIC; 0: not told
  uint64_t announced_spans = 0;
  uint64_t spans = 0;                          // loaded
  std::optional<wire::Processors> processors;  // of the machine it was recorded on
};

/// What the index of a set's folder says.
struct RunSet {
  std::string folder;
  std::string id;
  uint32_t planned = 0;                    // runs
  uint32_t done = 0;                       // that ended well
  uint32_t missing = 0;                    // that left no trace in the folder
  uint32_t last = 0;                       // index of the run that was made last
  std::string stopped;                     // why not all of them were; empty: they were
  std::vector<std::string> problems;       // with the index and single runs, as a reader is told
  std::vector<std::string> out_of_memory;  // points of the sweep at which memory ran out
};

struct TraceFile {
  std::string path;
  uint64_t bytes = 0;
  uint64_t packets = 0;
  uint64_t corrupt_packets = 0;
  uint64_t unreadable_bytes = 0;  // after a torn or damaged packet
};

struct Notice {
  uint32_t process = 0;
  int severity = 0;  // Notice.Severity of trace.proto
  std::string component;
  std::string text;
};

/// A library whose calls are not in the trace, or not all.
struct Unintercepted {
  uint32_t process = 0;
  UninterceptedReason reason = UninterceptedReason::kUnspecified;
  std::string library;
  std::string file;
  std::string user;
  std::string detail;
};

/// A file that calls of a process into a library went to.
struct UsedLibrary {
  uint32_t process = 0;
  std::string library;  // the type of the calls' spans
  std::string file;

  bool operator==(const UsedLibrary&) const = default;
};

/// Gap of trace.proto: a time in which a process was not recorded from a level on.
struct Gap {
  uint32_t process = 0;
  GapReason reason = GapReason::kUnspecified;
  Level level = Level::kUnspecified;
  int64_t begin = 0;
  int64_t end = 0;  // 0: until the process ended
  std::string detail;
};

/// Device of trace.proto.
struct Device {
  uint32_t process = 0;
  uint32_t index = 0;
  std::string name;
  /// "GPU-8e0d4f3a-…", as nvidia-smi writes it: the same in all processes, whatever number they see the device under.
  /// Empty: not known. A number alone where --redact took it out.
  std::string uuid;
  uint32_t compute_capability_major = 0;
  uint32_t compute_capability_minor = 0;
  uint32_t multiprocessors = 0;
  uint64_t memory_bytes = 0;
  uint32_t clock_khz = 0;
  uint32_t memory_clock_khz = 0;
  uint32_t memory_bus_bits = 0;
  uint32_t driver_version = 0;
  uint32_t cupti_version = 0;
  uint64_t l2_cache_bytes = 0;
  uint64_t memory_bandwidth = 0;  // bytes per second, as another tool tells
  std::string chip;
};

/// A thread as a process sees it, and one ring it wrote to. Executions are of no thread: theirs is 0.
struct Track {
  uint32_t process = 0;  // index of Trace::processes
  uint32_t thread = 0;
  uint32_t ring = 0;
};

/// Labels for layers that the program did not name: operators, by what they read. Spans keep the name of the operator,
/// by which the same layer is found in other evaluations and in recordings with other shapes.
class LayerLabels {
 public:
  /// In order of rows.
  void add(Row row, uint32_t label) { labels_.emplace_back(row, label); }

  /// String id; 0 for a layer that is called by its own name.
  uint32_t of(Row row) const {
    const auto found = std::lower_bound(labels_.begin(), labels_.end(), std::pair(row, uint32_t{0}));
    return found == labels_.end() || found->first != row ? 0 : found->second;
  }

 private:
  std::vector<std::pair<Row, uint32_t>> labels_;
};

/// Everything the input holds, loaded and not yet interpreted.
struct Trace {
  StringTable strings;
  SpanTable spans;
  std::vector<Track> tracks;
  std::vector<Process> processes;
  std::vector<Segment> segments;
  std::vector<TraceFile> files;
  std::vector<RunSet> sets;
  std::vector<OpenSpan> open_spans;
  std::vector<Notice> notices;
  std::vector<Unintercepted> unintercepted;
  std::vector<UsedLibrary> used_libraries;
  std::vector<Gap> gaps;
  std::vector<Device> devices;
  std::vector<Queue> queues;
  ExecutionTable executions;
  ArgumentTable arguments;
  std::vector<CounterBatch> counters;
  AggregateTable aggregates;
  LayerLabels layer_labels;
  uint64_t missing_strings = 0;      // uses of a string that is not in the trace
  uint64_t conflicting_strings = 0;  // strings defined twice with different texts

  uint32_t process_of(Row row) const { return tracks[spans.track[row]].process; }
  std::string_view text(uint32_t id) const { return strings.text(id); }

  /// String id of what a layer is called for people.
  uint32_t layer_name(Row layer) const {
    const uint32_t label = layer_labels.of(layer);
    return label == 0 ? spans.name[layer] : label;
  }
};

}  // namespace xsp::analysis
