#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/findings/families.h"
#include "analysis/tables/co_scheduling.h"

namespace xsp::analysis {
namespace {

/// Percent of kernel time that even the simple scheduler must gain. Less is lost to interference.
constexpr double kWorthPackingPct = 10;
/// Percent of kernel time of which the order must be known, and of which the needs must be.
constexpr double kEnoughCoveragePct = 90;

double coverage_of(const Table& table, std::string_view name) {
  for (const Extra& extra : table.extras) {
    if (extra.name != co_scheduling_extras::kCoverage) continue;
    for (const auto& [field, value] : extra.fields) {
      if (field == name) return number_of(value).value_or(0);
    }
  }
  return 0;
}

}  // namespace

void add_packing_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells cells = evidence.table(kR2);
  if (cells.rows() == 0 || cells.text(0, kR2.scope) != kModelScope || !evidence.has_evaluations()) return;
  const auto serial = cells.number(0, kR2.serial_ms);
  const auto bound = cells.number(0, kR2.bound_ms);
  const auto packed = cells.number(0, kR2.packed_ms);
  const auto gain = cells.number(0, kR2.max_gain_pct);
  if (!serial || !bound || !packed || !gain || !(*packed > 0)) return;
  if ((*serial / *packed - 1) * 100 < kWorthPackingPct) return;
  for (const std::string_view share : {co_scheduling_extras::kInGraphPct, co_scheduling_extras::kKnownSlotsPct}) {
    if (coverage_of(*cells.table(), share) < kEnoughCoveragePct) return;
  }
  findings->push_back(
      {.id = "co-scheduling",
       .text =
           fmt::format("Independent kernels could run side by side: at best {:.2g} times faster ({} instead of {}); "
                       "the bound is set by {}, and a simple scheduler would take {}",
                       *serial / *bound, short_time(*bound), short_time(*serial), cells.text(0, kR2.limited_by),
                       short_time(*packed)),
       .advice = "run independent branches on several streams, or fuse their kernels; what they take from each other "
                 "in caches and memory is not in the bound",
       .value = *gain,
       .unit = "%",
       .table = std::string(kR2.id),
       .column = std::string(kR2.scope.name),
       .key = std::string(kModelScope),
       .weight = evidence.share_of_step(*serial - *packed)});
  Finding& finding = findings->back();
  finding.gain_ms = *serial - *packed;
  if (const auto step = evidence.step_ms()) {
    finding.share_pct = 100 * *serial / *step;
    finding.share_of = std::string(evidence.step_word());
  }
}

}  // namespace xsp::analysis
