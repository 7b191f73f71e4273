#include "analysis/export/sqlite_views.h"

namespace xsp::analysis {
namespace {

constexpr SqliteView kViews[] = {
    {"spans", "a span with its texts",
     "SELECT s.id, s.process_id, s.thread, s.stream_id, l.level, k.kind, n.text AS name, t.text AS type,"
     " h.text AS shape, s.begin_ns, s.end_ns, s.end_ns - s.begin_ns AS duration_ns, s.parent_id, s.evaluation_id,"
     " s.layer_id, s.layer_index, s.library_call_id, s.launch_id, s.correlation, s.bytes, s.failed, s.shallow, "
     "s.backward"
     " FROM span_rows s JOIN levels l ON l.id = s.level_id JOIN kinds k ON k.id = s.kind_id"
     " LEFT JOIN strings n ON n.id = s.name_id LEFT JOIN strings t ON t.id = s.type_id"
     " LEFT JOIN strings h ON h.id = s.shape_id"},
    {"layers", "an execution of a layer of the tables", "SELECT * FROM spans WHERE layer_id = id"},
    {"library_calls", "a call into a compute library", "SELECT * FROM spans WHERE level = 'library'"},
    {"runtime_calls", "a call of the CUDA API", "SELECT * FROM spans WHERE level = 'runtime'"},
    {"kernels", "an execution of a kernel",
     "SELECT s.id, s.process_id, s.stream_id, n.text AS name, s.begin_ns, s.end_ns,"
     " s.end_ns - s.begin_ns AS duration_ns, s.evaluation_id, s.layer_id, s.layer_index, s.library_call_id,"
     " s.launch_id, s.correlation, s.backward, k.grid, k.block, k.registers, k.static_shared_bytes,"
     " k.dynamic_shared_bytes, k.data_type, k.flops, k.dram_read_bytes, k.dram_write_bytes, k.occupancy_pct,"
     " k.metrics_source FROM kernel_rows k JOIN span_rows s ON s.id = k.id LEFT JOIN strings n ON n.id = s.name_id"},
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

}  // namespace xsp::analysis
