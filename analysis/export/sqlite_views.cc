#include "analysis/export/sqlite_views.h"

#include "analysis/export/span_attributes.h"

namespace xsp::analysis {
namespace {

constexpr SqliteView kViews[] = {
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

}  // namespace

std::span<const SqliteView> sqlite_views() { return kViews; }

std::string sqlite_query(const SqliteView& view) {
  std::string query(view.query);
  const auto fill_in = [&](std::string_view mark, std::string_view table, SpanAttribute::Of of) {
    const size_t at = query.find(mark);
    if (at == std::string::npos) return;
    std::string columns;
    for (const SpanAttribute& attribute : span_attributes()) {
      if (attribute.of != of || attribute.name.empty()) continue;
      columns.append(columns.empty() ? "" : ", ").append(table).append(attribute.name);
    }
    query.replace(at, mark.size(), columns);
  };
  fill_in("{spans}", "s.", SpanAttribute::Of::kSpans);
  fill_in("{kernels}", "k.", SpanAttribute::Of::kKernels);
  return query;
}

}  // namespace xsp::analysis
