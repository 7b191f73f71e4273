#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/span_attributes.h"
#include "analysis/export/sqlite_file.h"

namespace xsp::analysis {
namespace {

constexpr SqliteColumn kStrings[] = {
    {"id", "INTEGER", "", "what name_id, type_id and shape_id refer to"},
    {"text", "TEXT", "", "the text; names of kernels demangled"},
};

constexpr SqliteColumn kLevels[] = {
    {"id", "INTEGER", "", "of a level, outermost first"},
    {"level", "TEXT", "", "application, model, layer, library, runtime, device"},
};

constexpr SqliteColumn kKinds[] = {
    {"id", "INTEGER", "", "of a kind"},
    {"kind", "TEXT", "", "what a span stands for: torch_module, library_call, kernel, …"},
    {"tracer", "TEXT", "", "who made spans of this kind"},
};

constexpr SqliteColumn kRuns[] = {
    {"id", "INTEGER", "", "of a recording"},
    {"file", "TEXT", "", "where it was read from"},
    {"host", "TEXT", "", "machine it was made on"},
    {"source", "TEXT", "", "format of another tool's profile it was imported from; NULL: recorded by XSP"},
    {"level", "TEXT", "", "deepest level it recorded; NULL: all"},
    {"set_id", "TEXT", "", "set of runs it belongs to"},
    {"run_index", "INTEGER", "", "place in the set, from 1"},
    {"repetition", "INTEGER", "", "of its level and parameters, from 1"},
    {"realtime_offset_ns", "INTEGER", "ns", "CLOCK_REALTIME - CLOCK_MONOTONIC; NULL: not known"},
};

constexpr SqliteColumn kProcesses[] = {
    {"id", "INTEGER", "", "of a process in this file"},
    {"run_id", "INTEGER", "", "runs.id"},
    {"label", "TEXT", "", "how tables name it"},
    {"pid", "INTEGER", "", "as it saw itself; NULL: not known, or left out (--redact)"},
    {"parent_pid", "INTEGER", "", "likewise"},
    {"rank", "TEXT", "", "of a distributed program"},
    {"executable", "TEXT", "", "path"},
    {"command", "TEXT", "", "arguments, separated by blanks; NULL with --redact"},
    {"spans", "INTEGER", "", "recorded"},
};

constexpr SqliteColumn kThreads[] = {
    {"process_id", "INTEGER", "", "processes.id"},
    {"thread", "INTEGER", "", "kernel thread id"},
    {"spans", "INTEGER", "", "on it"},
};

constexpr SqliteColumn kDevices[] = {
    {"process_id", "INTEGER", "", "processes.id"},
    {"device", "INTEGER", "", "as the process numbers it"},
    {"name", "TEXT", "", "of the GPU"},
    {"compute_capability", "TEXT", "", "such as 9.0"},
    {"multiprocessors", "INTEGER", "", "number"},
    {"memory_bytes", "INTEGER", "bytes", "of the device"},
    {"clock_khz", "INTEGER", "kHz", "highest, of the multiprocessors"},
    {"memory_bandwidth", "INTEGER", "bytes/s", "as another tool tells"},
};

constexpr SqliteColumn kStreams[] = {
    {"id", "INTEGER", "", "what stream_id refers to"}, {"process_id", "INTEGER", "", "processes.id"},
    {"device", "INTEGER", "", "devices.device"},       {"context", "INTEGER", "", "CUDA context"},
    {"stream", "INTEGER", "", "as CUPTI numbers it"},
};

constexpr SqliteColumn kEvaluations[] = {
    {"id", "INTEGER", "", "what evaluation_id refers to"},
    {"process_id", "INTEGER", "", "processes.id"},
    {"number", "INTEGER", "", "in its process, from 1"},
    {"span_id", "INTEGER", "", "spans.id of the call of the model"},
    {"model", "TEXT", "", "its name"},
    {"scope", "TEXT", "", "which instance of it"},
    {"input", "TEXT", "", "shapes of its inputs"},
    {"batch_size", "INTEGER", "", "first dimension of the first input"},
    {"begin_ns", "INTEGER", "ns", "as in spans"},
    {"end_ns", "INTEGER", "ns", "as in spans"},
    {"in_layer_tables", "INTEGER", "", "1: A2 to A7 are made of it (no warm-up, same layers as the others)"},
    {"in_kernel_tables", "INTEGER", "", "1: A8 to A15 are made of it"},
};

constexpr SqliteColumn kSpanRows[] = {
    {"id", "INTEGER", "", "of a span; what parent_id, layer_id, launch_id and others refer to"},
    {"process_id", "INTEGER", "", "processes.id"},
    {"thread", "INTEGER", "", "threads.thread; NULL of what happens on a device"},
    {"stream_id", "INTEGER", "", "streams.id; NULL of what happens on a host"},
    {"level_id", "INTEGER", "", "levels.id"},
    {"kind_id", "INTEGER", "", "kinds.id"},
    {"name_id", "INTEGER", "", "strings.id"},
    {"type_id", "INTEGER", "", "strings.id: layer type, library"},
    {"shape_id", "INTEGER", "", "strings.id: output shape of a layer, launch configuration of a kernel"},
    {"begin_ns", "INTEGER", "ns", "of the clock that meta tells"},
    {"end_ns", "INTEGER", "ns", "likewise"},
    {"parent_id", "INTEGER", "", "spans.id of what it lies in; of an execution its launch"},
    {"evaluation_id", "INTEGER", "", "evaluations.id; NULL: in none"},
    {"layer_id", "INTEGER", "", "spans.id of the innermost layer around it, itself if it is one"},
    {"layer_index", "INTEGER", "", "the layer's place in its evaluation, as in A2"},
    {"library_call_id", "INTEGER", "", "spans.id of the outermost library call around it"},
    {"launch_id", "INTEGER", "", "of an execution: spans.id of the call that started it"},
};

constexpr SqliteColumn kKernelRows[] = {
    {"id", "INTEGER", "", "spans.id of an execution of a kernel"},
};

constexpr SqliteColumn kArguments[] = {
    {"span_id", "INTEGER", "", "spans.id of a call"},
    {"name", "TEXT", "", "of an argument that was captured"},
    {"value", "", "", "its value"},
};

constexpr SqliteColumn kNotes[] = {
    {"table_name", "TEXT", "", "table of the report"},
    {"note", "TEXT", "", "what to know about its numbers"},
};

constexpr SqliteColumn kExtras[] = {
    {"table_name", "TEXT", "", "table of the report"},
    {"name", "TEXT", "", "a value beside its rows, such as the optimal batch size"},
    {"field", "TEXT", "", "a part of it"},
    {"value", "", "", "its value"},
};

/// Views for common questions; {spans} and {kernels} stand for the columns of their attributes.
struct View {
  std::string_view name;
  std::string_view meaning;
  std::string_view query;
};
constexpr View kViews[] = {
    {"spans", "a span with its texts",
     "SELECT s.id, s.process_id, s.thread, s.stream_id, l.level, k.kind, n.text AS name, t.text AS type,"
     " h.text AS shape, s.begin_ns, s.end_ns, s.end_ns - s.begin_ns AS duration_ns, s.parent_id, s.evaluation_id,"
     " s.layer_id, s.layer_index, s.library_call_id, s.launch_id, {spans}"
     " FROM span_rows s JOIN levels l ON l.id = s.level_id JOIN kinds k ON k.id = s.kind_id"
     " LEFT JOIN strings n ON n.id = s.name_id LEFT JOIN strings t ON t.id = s.type_id"
     " LEFT JOIN strings h ON h.id = s.shape_id"},
    {"layers", "an execution of a layer of the tables", "SELECT * FROM spans WHERE layer_id = id"},
    {"library_calls", "a call into a compute library", "SELECT * FROM spans WHERE level = 'library'"},
    {"runtime_calls", "a call of the CUDA API", "SELECT * FROM spans WHERE level = 'runtime'"},
    {"kernels", "an execution of a kernel",
     "SELECT s.id, s.process_id, s.stream_id, n.text AS name, s.begin_ns, s.end_ns,"
     " s.end_ns - s.begin_ns AS duration_ns, s.evaluation_id, s.layer_id, s.layer_index, s.library_call_id,"
     " s.launch_id, s.correlation, s.backward, {kernels} FROM kernel_rows k JOIN span_rows s ON s.id = k.id LEFT JOIN "
     "strings n ON n.id = s.name_id"},
    {"kernel_time_by_name", "a kernel name with its executions and time in everything that was recorded",
     "SELECT name, count(*) AS executions, sum(duration_ns) AS total_ns, min(duration_ns) AS shortest_ns,"
     " max(duration_ns) AS longest_ns, sum(flops) AS flops, sum(dram_read_bytes) AS dram_read_bytes,"
     " sum(dram_write_bytes) AS dram_write_bytes FROM kernels GROUP BY name ORDER BY total_ns DESC"},
    {"kernel_time_by_layer", "a layer of an evaluation with the kernels that ran for it",
     "SELECT evaluation_id, layer_index, layer_id, count(*) AS kernels, sum(duration_ns) AS kernel_ns, sum(flops) AS"
     " flops FROM kernels WHERE layer_id IS NOT NULL GROUP BY evaluation_id, layer_id ORDER BY evaluation_id,"
     " layer_index"},
    {"layer_time_by_type", "a layer type with the time of its calls on the host, in everything that was recorded",
     "SELECT type, count(*) AS calls, sum(duration_ns) AS total_ns FROM layers GROUP BY type ORDER BY total_ns DESC"},
    {"launch_delays", "how long an execution waited behind the begin of its launch",
     "SELECT e.id, e.launch_id, e.evaluation_id, n.text AS name, e.begin_ns - l.begin_ns AS delay_ns FROM span_rows e"
     " JOIN span_rows l ON l.id = e.launch_id LEFT JOIN strings n ON n.id = e.name_id"},
};

std::string_view sqlite_type(SpanAttribute::Type type) {
  if (type == SpanAttribute::Type::kReal) return "REAL";
  return type == SpanAttribute::Type::kText ? "TEXT" : "INTEGER";
}

/// Columns of a table, and behind them those of the attributes.
std::vector<SqliteColumn> with_attributes(std::span<const SqliteColumn> columns, SpanAttribute::Of of) {
  std::vector<SqliteColumn> all(columns.begin(), columns.end());
  for_each_column(of, [&](const SpanAttribute& attribute) {
    all.push_back({attribute.name, sqlite_type(attribute.type), attribute.unit, attribute.meaning});
  });
  return all;
}

/// The columns of attributes with their table's name before each: "s.correlation, s.backward".
std::string attribute_columns(SpanAttribute::Of of, std::string_view table) {
  std::string columns;
  for_each_column(of, [&](const SpanAttribute& attribute) {
    columns.append(columns.empty() ? "" : ", ").append(table).append(attribute.name);
  });
  return columns;
}

std::string with_columns(std::string_view query, std::string_view mark, const std::string& columns) {
  std::string filled(query);
  if (const size_t at = filled.find(mark); at != std::string::npos) filled.replace(at, mark.size(), columns);
  return filled;
}

}  // namespace

std::span<const SqliteTable> sqlite_span_tables() {
  static const std::vector<SqliteColumn> span_rows = with_attributes(kSpanRows, SpanAttribute::Of::kSpans);
  static const std::vector<SqliteColumn> kernel_rows = with_attributes(kKernelRows, SpanAttribute::Of::kKernels);
  static const SqliteTable tables[] = {
      {"strings", "a text that spans refer to", kStrings},
      {"levels", "a level of the stack", kLevels},
      {"kinds", "a kind of span", kKinds},
      {"runs", "a recording", kRuns},
      {"processes", "a process", kProcesses},
      {"threads", "a thread with spans", kThreads},
      {"devices", "a GPU that a process used", kDevices},
      {"streams", "a stream of a device", kStreams},
      {"evaluations", "an evaluation of a model", kEvaluations},
      {"span_rows", "a span with ids of its texts; the view spans has the texts", span_rows},
      {"kernel_rows", "what is known of an execution of a kernel; the view kernels has its span too", kernel_rows},
      {"arguments", "an argument of a call", kArguments},
      {"notes", "a note under a table of the report", kNotes},
      {"extras", "a value beside the rows of a table of the report", kExtras},
  };
  return tables;
}

std::vector<SqliteView> sqlite_views() {
  const std::string of_spans = attribute_columns(SpanAttribute::Of::kSpans, "s.");
  const std::string of_kernels = attribute_columns(SpanAttribute::Of::kKernels, "k.");
  std::vector<SqliteView> views;
  for (const View& view : kViews) {
    const std::string query = with_columns(view.query, "{spans}", of_spans);
    views.push_back({view.name, view.meaning, with_columns(query, "{kernels}", of_kernels)});
  }
  return views;
}

}  // namespace xsp::analysis
