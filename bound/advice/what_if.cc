#include "bound/advice/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"

namespace xsp::bound {
namespace {

bool has_any_time(const SequentialBound& bound) { return bound.layers > bound.missing; }

/// What the taken groups of each rule win over their layers one by one.
std::vector<WhatIf> what_if_fused(const Bounds& bounds) {
  std::vector<WhatIf> rows;
  const auto row_of = [&](const std::string& rule) -> WhatIf& {
    const auto found = std::ranges::find(rows, rule, &WhatIf::rule);
    if (found != rows.end()) return *found;
    return rows.emplace_back(WhatIf{.what = "fuse", .rule = rule, .caveat = ""});
  };
  for (const FusedGroup& group : bounds.groups) row_of(group.rule);
  const BoundMode& fused = bounds.fused();
  for (const size_t index : fused.groups) {
    const FusedGroup& group = bounds.groups[index];
    WhatIf& row = row_of(group.rule);
    ++row.count;
    row.after_ms += fused.weights_ms[group.layers.back()];
    for (const size_t layer : group.layers) row.before_ms += bounds.layers().weights_ms[layer];
  }
  for (WhatIf& row : rows) {
    if (row.count > 0) continue;
    const bool is_measured = std::ranges::any_of(bounds.groups, [&](const FusedGroup& group) {
      return group.rule == row.rule &&
             bounds.group_times[static_cast<size_t>(&group - bounds.groups.data())].bound_ms.has_value();
    });
    row.caveat = is_measured ? "no group is faster than its layers one by one, or a larger group has them"
                             : "no library that was measured computes such a group at once";
  }
  return rows;
}

WhatIf what_if_parallel(const Bounds& bounds) {
  const BoundMode& fused = bounds.fused();
  WhatIf row{.what = "parallel", .rule = "", .caveat = "branches share cores and memory, and slow one another"};
  row.before_ms = fused.sequential.bound_ms;
  row.after_ms = fused.parallel.bound_ms;
  row.coverage_pct = fused.sequential.coverage_layers_pct;
  std::vector<bool> on_path(fused.weights_ms.size(), false);
  for (const size_t layer : fused.parallel.path) on_path[layer] = true;
  for (size_t layer = 0; layer < on_path.size(); ++layer) {
    if (fused.weights_ms[layer] > 0 && !on_path[layer]) ++row.count;
  }
  if (row.count == 0) row.caveat = "no two layers with work are independent";
  return row;
}

/// Calls whose implementation is known and measured; those of which it is not stay out of both sums.
WhatIf what_if_best_implementations(const std::vector<ImplementationChoice>& choices) {
  WhatIf row{.what = "implementations",
             .rule = "",
             .caveat = "times are benchmarks of the calls that ran, and not what they took"};
  size_t known = 0;
  for (const ImplementationChoice& choice : choices) {
    if (!choice.used_ms || !choice.best_ms) continue;
    ++known;
    row.before_ms += *choice.used_ms;
    row.after_ms += std::min(*choice.best_ms, *choice.used_ms);
    if (*choice.best_ms < *choice.used_ms) ++row.count;
  }
  row.coverage_pct = 100 * static_cast<double>(known) / static_cast<double>(choices.size());
  if (known == 0) row.caveat = "of no call both what it used and what is fastest was measured";
  return row;
}

WhatIf what_if_typed(const Bounds& bounds, const PrecisionBound& precision) {
  WhatIf row{.what = precision.precision, .rule = "", .caveat = precision.caveat};
  row.rule = fmt::format("{} of {}", precision.layers, plural(precision.layers + precision.kept, "layer"));
  row.count = precision.layers;
  row.before_ms = bounds.fused().sequential.bound_ms;
  row.after_ms = precision.layers == 0 ? row.before_ms : precision.bound_ms;
  row.coverage_pct = precision.coverage_pct;
  if (row.profit_ms() < 0 && precision.has_instructions) {
    row.caveat = fmt::format("slower, although this device has {} instructions{}{}", precision.precision,
                             row.caveat.empty() ? "" : "; ", row.caveat);
  }
  return row;
}

/// The best precision, and none that loses; its groups, its longest path.
WhatIf what_if_all(const Bounds& bounds, const std::vector<PrecisionBound>& precisions) {
  const BoundMode& fused = bounds.fused();
  WhatIf row{.what = "all", .rule = "", .caveat = ""};
  row.before_ms = bounds.layers().sequential.bound_ms;
  row.after_ms = fused.parallel.bound_ms;
  row.coverage_pct = fused.sequential.coverage_layers_pct;
  const PrecisionBound* best = nullptr;
  for (const PrecisionBound& precision : precisions) {
    if (precision.layers == 0 || precision.bound_ms >= fused.sequential.bound_ms) continue;
    if (best == nullptr || precision.bound_ms < best->bound_ms) best = &precision;
  }
  if (best != nullptr) {
    row.after_ms = best->parallel_ms;
    row.coverage_pct = best->coverage_pct;
  }
  const bool is_parallel = row.after_ms < (best != nullptr ? best->bound_ms : fused.sequential.bound_ms);
  const auto add = [&](std::string_view part) { row.rule += (row.rule.empty() ? "" : " + ") + std::string(part); };
  if (!fused.groups.empty()) add("fuse");
  if (best != nullptr) add(best->precision);
  if (is_parallel) add("parallel");
  if (row.rule.empty()) add("nothing gains");
  row.caveat = best == nullptr ? "" : "the accuracy has to be checked";
  if (is_parallel) row.caveat += std::string(row.caveat.empty() ? "" : "; ") + "branches share cores and memory";
  return row;
}

}  // namespace

std::vector<WhatIf> what_ifs(const Bounds& bounds, const std::vector<ImplementationChoice>& choices,
                             const std::vector<PrecisionBound>& precisions) {
  if (!has_any_time(bounds.layers().sequential)) return {};
  std::vector<WhatIf> rows = what_if_fused(bounds);
  rows.push_back(what_if_parallel(bounds));
  if (!choices.empty()) rows.push_back(what_if_best_implementations(choices));
  for (const PrecisionBound& precision : precisions) rows.push_back(what_if_typed(bounds, precision));
  rows.push_back(what_if_all(bounds, precisions));
  return rows;
}

}  // namespace xsp::bound
