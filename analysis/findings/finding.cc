#include "analysis/findings/finding.h"

#include <algorithm>
#include <array>

#include "analysis/findings/families.h"

namespace xsp::analysis {
namespace {

/// If it is unknown what a finding could win, it ranks as if this part of its share could be won.
constexpr double kUnknownGain = 0.02;

/// Findings of A15 that say why the device idles, and those of D4 that say the same in another way.
constexpr std::array<std::string_view, 5> kIdleCauses = {"input-wait", "sync-wait", "copies", "gpu-idle",
                                                         "launch-bound"};
constexpr std::array<std::string_view, 4> kIdleDiagnoses = {"input-stall", "copy-bound", "host-bound",
                                                            "launch-bound-iterations"};

template <typename Ids>
bool is_one_of(const Ids& ids, const Finding& finding) {
  return std::find(ids.begin(), ids.end(), finding.id) != ids.end();
}

void leave_one_for_each_cause(std::vector<Finding>* findings) {
  if (std::none_of(findings->begin(), findings->end(), [](const Finding& f) { return is_one_of(kIdleCauses, f); })) {
    return;
  }
  std::erase_if(*findings, [](const Finding& f) { return is_one_of(kIdleDiagnoses, f); });
}

/// Findings that name a place and no fault: next to a cause worth a tenth of the step they only fill the page.
constexpr std::array<std::string_view, 4> kPlaces = {"bottleneck-layer-type", "bottleneck-layer", "bottleneck-kernel",
                                                     "time-outside-layers"};
constexpr double kWorthGain = 0.1;
/// A layer type with this share of the step is reported in any case.
constexpr double kMostPct = 50;
/// Next to such a cause the rest is reported only if it is worth something.
constexpr double kWorthTelling = 0.01;

void leave_out_places(double step_ms, std::vector<Finding>* findings) {
  const auto is_large = [&](const Finding& f) { return f.gain_ms && *f.gain_ms >= kWorthGain * step_ms; };
  if (!(step_ms > 0) || std::none_of(findings->begin(), findings->end(), is_large)) return;
  std::erase_if(*findings, [&](const Finding& f) {
    const bool is_most = f.id == "bottleneck-layer-type" && f.share_pct && *f.share_pct >= kMostPct;
    return (is_one_of(kPlaces, f) && !is_most) || (f.gain_ms && *f.gain_ms < kWorthTelling * step_ms);
  });
}

bool is_doubt(const Finding& finding) { return finding.weight >= 1 && !finding.share_pct && !finding.is_note; }

/// Doubts, then findings, then notes.
int class_of(const Finding& finding) { return is_doubt(finding) ? 0 : finding.is_note ? 2 : 1; }

void keep_the_first(std::vector<Finding>* findings) {
  size_t told = 0;
  size_t notes = 0;
  std::erase_if(*findings, [&](const Finding& f) { return f.is_note ? ++notes > kMostNotes : ++told > kMostFindings; });
}

double rank_of(const Finding& finding, double step_ms) {
  return finding.gain_ms && step_ms > 0 ? *finding.gain_ms / step_ms : kUnknownGain * finding.weight;
}

void find_row(const std::vector<Table>& tables, Finding* finding) {
  if (finding->column.empty()) return;
  const auto table = std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.id == finding->table; });
  if (table == tables.end()) return;
  const auto column = std::find_if(table->columns.begin(), table->columns.end(),
                                   [&](const Column& c) { return c.name == finding->column; });
  if (column == table->columns.end()) return;
  const auto at = static_cast<size_t>(column - table->columns.begin());
  for (size_t row = 0; row < table->rows.size() && !finding->row; ++row) {
    const auto* text = std::get_if<std::string>(&table->rows[row][at]);
    const auto* number = std::get_if<int64_t>(&table->rows[row][at]);
    if ((text != nullptr && *text == finding->key) || (number != nullptr && std::to_string(*number) == finding->key)) {
      finding->row = row;
    }
  }
}

}  // namespace

std::vector<Finding> findings(const Study& study, const std::vector<Table>& tables) {
  const Evidence evidence{study, tables};
  std::vector<Finding> found;
  add_doubts(evidence, &found);
  add_start_up(evidence, &found);
  add_step_findings(evidence, &found);
  add_layer_findings(evidence, &found);
  add_kernel_findings(evidence, &found);
  add_wave_findings(evidence, &found);
  add_packing_findings(evidence, &found);
  add_concurrency_findings(evidence, &found);
  add_training_mode(evidence, &found);
  add_eager_dispatch(evidence, &found);
  add_iteration_findings(evidence, &found);
  add_slow_library_findings(evidence, &found);
  add_call_findings(evidence, &found);
  add_experiment_findings(evidence, &found);
  add_notes(evidence, &found);
  leave_one_for_each_cause(&found);
  const double step_ms = evidence.step_ms().value_or(0);
  leave_out_places(step_ms, &found);
  std::stable_sort(found.begin(), found.end(), [&](const Finding& a, const Finding& b) {
    if (class_of(a) != class_of(b)) return class_of(a) < class_of(b);
    if (a.is_note) return false;
    return rank_of(a, step_ms) > rank_of(b, step_ms);
  });
  keep_the_first(&found);
  for (Finding& finding : found) find_row(tables, &finding);
  return found;
}

}  // namespace xsp::analysis
