#include "analysis/tables/latency_by_layer_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/study/step_study.h"
#include "analysis/study/study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Of the step: less may be rounding of clocks.
constexpr double kOverlaps = 1.01;
/// From here on a share of the layers' time reads as one of the step.
constexpr double kCovers = 0.97;

/// Why a share of layer time is not a share of the step.
std::string share_note(const Study& study, double total_ns) {
  if (!study.subject || study.without_models || study.options.per_trace) return {};
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const double step = step_ns(study, group);
  const std::string_view noun = evaluation_noun(study, group);
  const std::string total = four_digits(total_ns / kNsPerMs);
  const std::string whole = four_digits(step / kNsPerMs);
  if (!(step > 0)) return {};
  const bool has_kernels = study.latencies.has_kernels;
  if (total_ns > (has_kernels ? kOverlaps : kLayersOverlap) * step) {
    return fmt::format("latency_pct is the share of all layers' time ({} ms), not of the {} ms {}: layers overlap{}",
                       total, whole, noun, has_kernels ? ", as each lasts until its last kernel ends" : "");
  }
  if (total_ns > kCovers * step) return {};
  return fmt::format("latency_pct is the share of all layers' time: {} ms of the {} ms {}", total, whole, noun);
}

}  // namespace

Table latency_by_layer_type(const Study& study) {
  Table table = make_table(kA6, study);
  auto types = layer_types(study);
  std::stable_sort(types.begin(), types.end(),
                   [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  const double total = study.layer_latency_ns();
  for (const LayerType& type : types) {
    TableRow row = table.add_row();
    row.set(kA6.type, type.type);
    row.set(kA6.count, count_cell(type.count));
    row.set(kA6.latency_ms, cell(type.latency_ns / kNsPerMs));
    row.set(kA6.latency_pct, percent(type.latency_ns, total));
    row.set(kA6.backward_ms, cell(type.backward_ns / kNsPerMs));
    row.set(kA6.wait_ms, cell(type.wait_ns / kNsPerMs));
  }
  finish_layer_table(study, false, &table);
  // First: a reader compares these shares with those of findings.
  if (std::string note = share_note(study, total); !note.empty()) {
    table.notes.insert(table.notes.begin(), std::move(note));
  }
  return table;
}

}  // namespace xsp::analysis
