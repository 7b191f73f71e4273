#include <fmt/format.h>

#include <algorithm>

#include "analysis/tables/analyses.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/units.h"

namespace xsp::analysis {
namespace {

/// Kernels of the evaluations under study that are in none of their layers.
size_t kernels_in_no_layer(const Study& study) {
  const Executions& executions = study.executions;
  size_t kernels = 0;
  for (const uint32_t evaluation : study.joined.joined) {
    for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions.in_evaluation[i];
      if (study.trace.spans.kind[study.trace.executions.row[execution]] != Kind::kKernel) continue;
      const PlacedExecution& placed = executions.placed[execution];
      const bool in_layer = study.options.per_trace ? placed.layer != kNoRow
                                                    : layer_of(study.trace, study.evaluations, placed) != SIZE_MAX;
      kernels += in_layer ? 0 : 1;
    }
  }
  return kernels;
}

/// Evaluations that ran kernels and made no layers of their own.
size_t replays(const Study& study) {
  if (study.options.per_trace || study.joined.layers.empty()) return 0;
  const Executions& executions = study.executions;
  return static_cast<size_t>(std::count_if(study.used.begin(), study.used.end(), [&](uint32_t evaluation) {
    if (study.evaluations.layer_count(evaluation) != 0) return false;
    const auto begin = executions.in_evaluation.begin();
    return std::any_of(begin + static_cast<ptrdiff_t>(executions.first_of[evaluation]),
                       begin + static_cast<ptrdiff_t>(executions.first_of[evaluation + 1]), [&](uint32_t execution) {
                         return study.trace.spans.kind[study.trace.executions.row[execution]] == Kind::kKernel;
                       });
  }));
}

}  // namespace

Table gpu_latency(const Study& study) {
  Table table;
  table.columns = {{"layer_index", ""}, {"layer_latency_ms", "ms"}, {"gpu_ms", "ms"},    {"non_gpu_ms", "ms"},
                   {"gpu_pct", "%"},    {"layer_name", ""},         {"kernel_ms", "ms"}, {"kernel_count", ""}};
  const bool known = study.latencies.has_kernels;
  bool concurrent = false;
  for (const JoinedLayer& layer : study.joined.layers) {
    std::vector<Cell> row = {count_cell(table.rows.size()), cell(layer.latency_ns / kNsPerMs)};
    if (known) {
      row.push_back(cell(layer.gpu_ns / kNsPerMs));
      row.push_back(cell((layer.latency_ns - layer.gpu_ns) / kNsPerMs));
      row.push_back(percent(layer.gpu_ns, layer.latency_ns));
    } else {
      row.resize(5);
    }
    row.emplace_back(std::string(study.trace.text(layer.name)));
    row.push_back(known ? cell(layer.kernel_ns / kNsPerMs) : Cell());
    row.push_back(known ? mean_count(layer.kernels) : Cell());
    concurrent |= layer.kernel_ns > layer.gpu_ns;
    table.rows.push_back(std::move(row));
  }
  table.rank_by = 1;
  finish_layer_table(study, false, &table);
  if (!known) {
    table.lacks_data = true;
    table.notes.push_back(no_kernels_note(study));
    return table;
  }
  table.notes.push_back(device_latency_note(study));
  if (concurrent) {
    table.notes.emplace_back(
        "kernels of a layer run at the same time: gpu_ms is the union of their intervals, kernel_ms "
        "their sum");
  }
  if (const size_t evaluations = replays(study); evaluations != 0) {
    table.notes.push_back(
        fmt::format("{} no layers of their own (replayed graphs) and are not in this table: A11 has their "
                    "kernels by the layers that captured them, --per trace counts them here",
                    evaluations == 1 ? "1 evaluation made" : fmt::format("{} evaluations made", evaluations)));
  }
  if (const size_t kernels = kernels_in_no_layer(study); kernels != 0) {
    table.notes.push_back(fmt::format("{} of these evaluations in none of their layers",
                                      kernels == 1 ? "1 kernel is" : fmt::format("{} kernels are", kernels)));
  }
  return table;
}

}  // namespace xsp::analysis
