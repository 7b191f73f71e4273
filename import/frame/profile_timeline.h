#pragma once

/// What an importer fills: processes with host threads, device executions, devices and counters, as the other tool
/// reported them. Only nesting and launches are interpreted here; what represents a model or a layer is for the report
/// to decide (analysis/timeline), unless the tool itself knows.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/seeded_hash.h"
#include "import/frame/string_pool.h"
#include "proto/activity_columns.h"
#include "proto/trace_numbers.h"

namespace xsp {

/// A host span. Texts are ids of its process (ImportedProcess::text). Its level is application, unless the tool says
/// what it is; then spans of the kinds operator, annotation, Python function, NVTX range and module get their role in
/// the report.
struct ImportedSpan {
  int64_t begin_ns = 0;  // any origin, the same in the whole input
  int64_t end_ns = 0;
  uint64_t bytes = 0;  // allocated during the span; valid only if ImportedProcess::knows_bytes
  uint32_t name = 0;
  uint32_t type = 0;
  uint32_t shape = 0;      // output shapes: "[1,64,112,112]", several joined by ";"
  uint32_t input = 0;      // input shapes of a model span, same form
  uint32_t scope = 0;      // as SpanBatch.scope. A layer with a scope gets no parent here: it is a node of a graph,
                           // which the report places in the runs and nodes of its scope, across threads
  uint32_t arguments = 0;  // ImportedProcess::add_arguments
  uint32_t correlation = 0;
  wire::Level level = wire::Level::kApplication;
  wire::Kind kind = wire::Kind::kUnspecified;
  bool failed = false;
};

/// A span of a process: the thread it was added to, and its number there.
struct ImportedSpanId {
  uint32_t thread = UINT32_MAX;
  uint32_t number = 0;
};

/// Something that a device did. Its launch is the span with its correlation id in its process: one of level runtime,
/// or, where the tool tells no more, a graph node or a run.
struct ImportedExecution {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t bytes = 0;
  uint64_t graph_node = 0;
  uint32_t name = 0;
  uint32_t configuration = 0;  // text in the form of ActivityBatch.configuration
  uint32_t correlation = 0;    // 0: none
  uint32_t graph = 0;
  ActivityQueue queue;
  wire::Kind kind = wire::Kind::kKernel;
};

/// An operator's arguments in their written form: inputs and outputs "f32[8,64];f32[64];;i64[]" (an entry for each
/// argument, empty for non-tensors, "(f32[2],f32[2])" for a list of tensors), values a JSON array of the others as the
/// tool printed them. Element types as in kElementTypes; an unknown one as the tool names it.
struct OperatorArguments {
  std::string_view inputs;
  std::string_view outputs;
  std::string_view values;
};

struct ImportedDevice {
  uint32_t index = 0;
  std::string name;
  std::string chip;
  uint32_t compute_capability_major = 0;
  uint32_t compute_capability_minor = 0;
  uint32_t multiprocessors = 0;
  uint64_t memory_bytes = 0;
  uint32_t clock_khz = 0;
  uint32_t memory_clock_khz = 0;
  uint32_t memory_bus_bits = 0;
  uint32_t driver_version = 0;
  uint64_t l2_cache_bytes = 0;
  uint64_t memory_bandwidth = 0;
};

class ImportedProcess {
 public:
  /// Threads beyond this number are merged into the last one.
  static constexpr uint32_t kMaxThreads = 0xFFFF;

  explicit ImportedProcess(uint32_t pid) : pid_(pid) {}

  struct Counter {
    uint64_t execution;
    uint32_t metric;
    double value;
  };
  /// See set_call().
  struct Call {
    uint32_t turn = 0;  // 0: unknown
    uint32_t caller = 0;
  };
  struct Thread {
    uint32_t tid;
    std::deque<ImportedSpan> spans;  // grows without copies
    std::vector<uint32_t> parents;   // by span, its number + 1, where known; 0: none
    std::vector<Call> calls;         // by span, where known
  };
  /// What was added.
  struct Contents {
    std::string executable;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<Thread> threads;
    std::deque<ImportedExecution> executions;
    std::vector<std::pair<ImportedSpanId, ImportedSpanId>> forwards;  // backward work, and the span it belongs to
    std::vector<std::pair<uint64_t, ImportedSpanId>> launches;        // by number of the execution
    std::vector<ImportedDevice> devices;
    std::vector<Counter> counters;
    uint64_t missing_operators = 0;
    bool knows_bytes = false;
  };
  /// For the writer of the process, which frees it piece by piece. Importers add through the functions below.
  Contents& contents() { return contents_; }

  uint32_t pid() const { return pid_; }
  /// Id of a text; 0 for the empty one.
  uint32_t text(std::string_view text) { return texts_.intern(text); }
  std::string_view text(uint32_t id) const { return texts_.text(id); }
  const StringPool& texts() const { return texts_; }

  void set_name(std::string_view executable) { contents_.executable = executable; }
  /// RANK, WORLD_SIZE, LOCAL_RANK and the like.
  void set_variable(std::string_view name, std::string_view value);

  /// Index of the thread with that id, created on first use.
  uint32_t thread(uint32_t tid);
  /// Adds a span of a thread, in any order. Spans nest by time when the timeline is written: of equal intervals a
  /// Python function or module is the outer one, else the one added first.
  ImportedSpanId add_span(uint32_t thread, const ImportedSpan& span);
  ImportedSpan& span(ImportedSpanId id);

  /// Sets the parent of a span; both are of one thread. A thread with any such span nests as told, not by time.
  void set_parent(ImportedSpanId child, ImportedSpanId parent);

  /// For times too coarse to tell what lies in what. `turn`: the span's place, from 1, among those of its thread that
  /// have one, in order of begin; Python functions (and modules) count apart from all others. `caller`: 1 + the number
  /// of the calling span of its thread, 0: none that has a turn. The span lies in its caller wherever the times allow
  /// it within the resolution, and never in a span of its own sort that has a turn and ends where it begins.
  void set_call(ImportedSpanId span, uint32_t turn, uint32_t caller);

  /// `backward` computes the gradient of `forward`.
  void link_forward(ImportedSpanId backward, ImportedSpanId forward) {
    contents_.forwards.emplace_back(backward, forward);
  }

  /// An id for ImportedSpan::arguments; equal arguments share one id.
  uint32_t add_arguments(const OperatorArguments& arguments);
  /// Arguments with another layout (proto/README.md, "Arguments of calls").
  uint32_t add_arguments(std::string_view layout, std::string_view values);

  /// The layout id and the values for a nonzero id of add_arguments().
  std::pair<uint32_t, std::string_view> arguments(uint32_t id) const;

  void add_execution(const ImportedExecution& execution) { contents_.executions.push_back(execution); }
  /// What launched an execution, by its number in order of addition, if the tool tells more than a correlation id.
  void set_launch(size_t execution, ImportedSpanId launch) { contents_.launches.emplace_back(execution, launch); }
  void add_device(ImportedDevice device) { contents_.devices.push_back(std::move(device)); }
  size_t execution_count() const { return contents_.executions.size(); }
  const std::deque<ImportedExecution>& executions() const { return contents_.executions; }

  /// A counter's value for an execution, by its number in order of addition.
  void add_counter(size_t execution, std::string_view metric, double value);

  /// Operators and annotations that the tool recorded but somebody removed from its profile.
  void miss_operators(uint64_t count) { contents_.missing_operators += count; }

  /// Allocated bytes are known for all spans.
  void know_bytes() { contents_.knows_bytes = true; }

 private:
  uint32_t pid_;
  Contents contents_;
  StringPool texts_;
  StringPool arguments_;                                               // layout id (4 bytes) and values
  std::unordered_map<uint32_t, uint32_t, SeededHash> thread_numbers_;  // by tid
};

/// Everything that one input file holds.
class ProfileTimeline {
 public:
  /// Processes beyond this number are merged into the last one.
  static constexpr size_t kMaxProcesses = 4096;

  /// The process with that pid, created on first use.
  ImportedProcess& process(uint32_t pid);
  const std::deque<ImportedProcess>& processes() const { return processes_; }
  std::deque<ImportedProcess>& processes() { return processes_; }

  /// CLOCK_REALTIME of time 0 of the input in ns, where the tool tells.
  void set_realtime_origin(int64_t ns) { realtime_origin_ns_ = ns; }
  std::optional<int64_t> realtime_origin_ns() const { return realtime_origin_ns_; }
  void set_hostname(std::string_view name) { hostname_ = name; }
  const std::string& hostname() const { return hostname_; }
  /// Resolution of the times: children may stick out of their parents by this much (1000: whole microseconds).
  void set_resolution(int64_t ns) { resolution_ns_ = ns; }
  int64_t resolution_ns() const { return resolution_ns_; }
  /// Executions are in the process that launched them, and those without a launch really have none. Otherwise, an
  /// execution with no launch in its own process is attributed to the process that has it.
  void know_launching_processes() { knows_launching_processes_ = true; }
  bool knows_launching_processes() const { return knows_launching_processes_; }

  /// Something that could not be imported, counted under a short text: "event without a duration". Shown to the user
  /// and stored in the trace. `count` 0 gives the text alone, as information.
  void note(std::string_view what, uint64_t count = 1);
  const std::vector<std::pair<std::string, uint64_t>>& notes() const { return notes_; }

 private:
  std::deque<ImportedProcess> processes_;
  std::unordered_map<uint32_t, size_t, SeededHash> process_numbers_;  // by pid
  std::vector<std::pair<std::string, uint64_t>> notes_;
  std::string hostname_;
  bool knows_launching_processes_ = false;
  std::optional<int64_t> realtime_origin_ns_;
  int64_t resolution_ns_ = 0;
};

}  // namespace xsp
