#pragma once

/// Builds traces for the tests of the analysis stage, with libprotobuf rather than the code under test.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "analysis/tables/table.h"
#include "analysis/trace/trace.h"
#include "trace.pb.h"

namespace xsp::test {

struct SpanSpec {
  int64_t begin = 0;
  int64_t end = 0;
  uint32_t id = 0;
  uint32_t parent = 0;
  int level = LEVEL_LAYER;
  int kind = KIND_API;
  std::string name;
  std::string type;
  std::string shape;
  std::string input;
  std::string scope;
  int64_t bytes = -1;  // -1: unknown
  uint32_t process = 1;
  uint32_t thread = 100;
  uint32_t ring = 0;
  uint32_t start_thread = 0;
  uint32_t start_ring = 0;  // + 1
  bool failed = false;
  std::string layout;  // of `values`; empty: no arguments
  std::string values;
  uint64_t correlation = 0;
  uint32_t forward = 0;       // id of the forward span; 0: none
  uint32_t forward_ring = 0;  // its ring
  bool shallow = false;
};

/// A row of Aggregates: the spans of a name, given as durations.
struct AggregateSpec {
  std::string name;
  std::vector<uint64_t> durations_ns;
  uint64_t stored = 0;
  uint64_t failed = 0;
  int level = LEVEL_MODEL;
  int kind = KIND_TORCH_ROOT;
  std::string type;
};

/// An activity of a device.
struct ExecutionSpec {
  int64_t begin = 0;
  int64_t end = 0;
  std::string name;
  int kind = KIND_KERNEL;
  uint32_t launch = 0;  // id of the span; 0: unknown
  uint32_t launch_ring = 0;
  uint32_t capture = 0;  // id of the span; 0: unknown
  uint32_t capture_ring = 0;
  uint64_t correlation = 0;
  uint64_t graph_node = 0;
  uint32_t graph = 0;
  uint32_t device = 0;
  uint32_t context = 1;
  uint32_t stream = 7;
  std::string configuration;
  uint64_t bytes = 0;
  uint32_t process = 1;
};

/// The bytes of a call's arguments.
class Values {
 public:
  template <typename Value>
  Values& add(Value value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  operator std::string() const { return bytes_; }

 private:
  std::string bytes_;
};

class TraceBuilder {
 public:
  TraceBuilder();

  /// Adds a process; numbers count from 1.
  uint32_t add_process(uint32_t pid, const std::string& rank = "", const std::string& world_size = "");
  void add(const SpanSpec& span);
  /// Executions of one process, in one batch.
  void add_executions(const std::vector<ExecutionSpec>& executions);
  /// A call with layers of `latencies_ms` one after another, names "l0", "l1", …, types "A" and "B" in turn.
  void add_evaluation(int64_t begin_ms, const std::vector<int64_t>& latencies_ms, const std::string& model = "Net",
                      const std::string& input = "[4,3]", uint32_t process = 1, bool failed = false);
  /// Makes the trace a run of the set "00000000000000aa", recorded down to `level` (empty: all levels).
  void describe_run(uint32_t index, const std::string& level, uint32_t repetition = 1,
                    const std::vector<std::pair<std::string, std::string>>& parameters = {});
  /// Makes the trace a part of the recording "0123456789abcdef".
  void describe_part(uint32_t index, int64_t begin_ms = 0);
  /// A builder of the next part, which repeats the processes and strings of this one.
  TraceBuilder next_part(int64_t begin_ms) const;
  /// Counts for a time range in ms, or for all time before the part.
  void add_aggregates(const std::vector<AggregateSpec>& rows, int64_t begin_ms, int64_t end_ms, bool is_total = false,
                      uint32_t process = 1);
  /// Id of a string in a process, for values.
  uint32_t string_id(uint32_t process, const std::string& text);
  /// A packet about a process, its sequence number set.
  Packet* packet(uint32_t process);
  std::string bytes(bool finished = true);
  xsp::Trace& message() { return message_; }

 private:
  void flush();

  xsp::Trace message_;
  std::map<uint32_t, uint64_t> sequence_;
  std::map<uint32_t, std::map<std::string, uint32_t>> strings_;
  std::vector<SpanSpec> pending_;
  uint32_t next_id_ = 0;
  uint64_t spans_ = 0;
  uint32_t processes_ = 0;
  uint32_t part_ = 0;
};

/// A trace with everything derived from it; not movable, as its parts refer to each other.
struct Analysed : analysis::AnalysedTrace {
  explicit Analysed(const std::vector<std::string>& inputs, const analysis::StudyOptions& options = {},
                    const analysis::SpanRoleOptions& role_options = {});

  analysis::Table table(const std::string& id) const;

  Status status;
  analysis::SpanRoles roles;
};

/// The value of a cell; -1 for null.
double number(const analysis::Cell& cell);
std::string text(const analysis::Cell& cell);

/// Value of a Q1 row; -2 when there is no such row.
double quality(const analysis::Table& q1, const std::string& quantity, const std::string& level = "all");

/// Whether a note of the table contains `part`.
bool has_note(const analysis::Table& table, const std::string& part);

/// Loads bytes and derives everything, as xsp-report does, and renders all formats: must not crash.
void report_everything(std::string_view bytes);

}  // namespace xsp::test
