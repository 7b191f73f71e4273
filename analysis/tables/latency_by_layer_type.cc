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

/// Where layers take longer together than the step that they are of.
std::string overlap_note(const Study& study, double total_ns) {
  if (!study.subject || study.without_models || study.options.per_trace) return {};
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const double step = step_ns(study, group);
  if (!(step > 0) || !(total_ns > kOverlaps * step)) return {};
  return fmt::format(
      "layers overlap: their times add up to {} ms, the {} takes {} ms (from the call of a layer to the "
      "end of its last kernel others run, too)",
      four_digits(total_ns / kNsPerMs), evaluation_noun(study, group), four_digits(step / kNsPerMs));
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
  if (std::string note = overlap_note(study, total); !note.empty()) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
