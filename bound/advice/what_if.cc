#include "bound/advice/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string_view>

#include "base/quantity_text.h"
#include "bound/advice/unmeasured.h"

namespace xsp::bound {
namespace {

bool has_any_time(const SequentialBound& bound) { return bound.layers > bound.missing; }

/// "12 of 33 layers have no time"; empty: all have one.
std::string missing_text(const SequentialBound& bound) {
  if (bound.missing == 0) return "";
  return fmt::format("{} of {} {} no time", bound.missing, plural(bound.layers, "layer"),
                     bound.missing == 1 ? "has" : "have");
}

/// Whether so few layers have a time that nothing can be said of how they stand to one another.
bool lacks_most(const SequentialBound& bound) { return 2 * bound.missing > bound.layers; }

std::string joined_sentences(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

/// What became of the groups of a rule of which none is taken, by how often.
struct RefusalText {
  Refusal refusal;
  std::string_view one;
  std::string_view several;
};
constexpr RefusalText kRefusals[] = {
    {Refusal::kSlower, "is no faster than its layers one by one", "are no faster than their layers one by one"},
    {Refusal::kSmaller, "is no faster than smaller groups of its layers",
     "are no faster than smaller groups of their layers"},
    {Refusal::kTaken, "shares layers with a group that is taken", "share layers with groups that are taken"},
    {Refusal::kDelays, "would make a longer branch wait", "would make a longer branch wait"},
    {Refusal::kNotClosed, "computes what layers outside it read", "compute what layers outside them read"},
    {Refusal::kNotMeasured, "has no benchmark", "have no benchmark"},
};

/// "of 17 groups, 16 share layers with groups that are taken, 1 has no benchmark"; "its 16 groups share layers with …".
std::string why_none_is_taken(const Bounds& bounds, const std::string& rule) {
  size_t groups = 0, without_run = 0;
  std::array<size_t, std::size(kRefusals)> counts = {};
  for (size_t index = 0; index < bounds.groups.size(); ++index) {
    if (bounds.groups[index].rule != rule) continue;
    ++groups;
    const auto* const found = std::ranges::find(kRefusals, bounds.decisions[index].refusal, &RefusalText::refusal);
    if (found != std::end(kRefusals)) ++counts[static_cast<size_t>(found - std::begin(kRefusals))];
    const LayerTime& time = bounds.group_times[index];
    without_run += !time.bound_ms && is_unmeasured(time) ? 1 : 0;
  }
  if (without_run == groups) return std::string(kNotMeasuredText);
  if (counts.back() == groups) return "no library that was measured computes such a group at once";
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (counts[i] == groups) {
      return groups == 1 ? fmt::format("its only group {}", kRefusals[i].one)
                         : fmt::format("its {} groups {}", groups, kRefusals[i].several);
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i],
                        counts[i] == 1 ? kRefusals[i].one : kRefusals[i].several);
  }
  return fmt::format("of {}, {}", plural(groups, "group"), text);
}

/// What the taken groups of each rule save of the model layer by layer.
std::vector<WhatIf> what_if_fused(const Bounds& bounds) {
  std::vector<WhatIf> rows;
  const SequentialBound& whole = bounds.layers().sequential;
  const auto row_of = [&](const std::string& rule) -> WhatIf& {
    const auto found = std::ranges::find(rows, rule, &WhatIf::rule);
    if (found != rows.end()) return *found;
    return rows.emplace_back(WhatIf{.what = "fuse", .rule = rule, .caveat = ""});
  };
  for (const FusedGroup& group : bounds.groups) row_of(group.rule).before_ms = whole.bound_ms;
  for (WhatIf& row : rows) row.after_ms = row.before_ms;
  const BoundMode& fused = bounds.fused();
  for (const size_t index : fused.groups) {
    const FusedGroup& group = bounds.groups[index];
    WhatIf& row = row_of(group.rule);
    ++row.count;
    row.after_ms -= bounds.decisions[index].parts_ms - fused.weights_ms[group.layers.back()];
  }
  for (WhatIf& row : rows) {
    row.caveat = row.count > 0 ? missing_text(whole) : why_none_is_taken(bounds, row.rule);
    row.is_measured = row.count > 0 || std::ranges::any_of(bounds.groups, [&](const FusedGroup& group) {
                        const auto index = static_cast<size_t>(&group - bounds.groups.data());
                        return group.rule == row.rule && bounds.group_times[index].bound_ms.has_value();
                      });
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
  const std::string missing = missing_text(fused.sequential);
  if (row.count == 0) {
    row.caveat =
        missing.empty() ? "no two layers with work are independent" : "no two layers that have a time are independent";
  }
  row.caveat = joined_sentences({row.caveat, missing});
  return row;
}

/// Calls whose implementation is known and measured; those of which it is not stay out of both sums.
WhatIf what_if_best_implementations(const std::vector<ImplementationChoice>& choices) {
  WhatIf row{.what = "implementations", .rule = "", .caveat = ""};
  size_t known = 0, inexact = 0;
  std::set<std::string> libraries;
  for (const ImplementationChoice& choice : choices) {
    if (!choice.used_ms || !choice.best_ms) continue;
    ++known;
    row.before_ms += *choice.used_ms;
    row.after_ms += std::min(*choice.best_ms, *choice.used_ms);
    libraries.insert(choice.library);
    if (*choice.best_ms >= *choice.used_ms) continue;
    ++row.count;
    inexact += choice.is_best_exact ? 0 : 1;
  }
  row.caveat = fmt::format("benchmarks of the same-named implementations in {}, whatever version ran",
                           fmt::join(libraries, " and "));
  if (inexact > 0) {
    row.caveat += fmt::format("; {} of the fastest {} otherwise", inexact, inexact == 1 ? "rounds" : "round");
  }
  row.coverage_pct = 100 * static_cast<double>(known) / static_cast<double>(choices.size());
  if (known == 0) {
    row.caveat = "of no call both what it used and what is fastest was measured";
    row.is_measured = false;
  }
  return row;
}

WhatIf what_if_typed(const Bounds& bounds, const PrecisionBound& precision) {
  WhatIf row{.what = precision.precision, .rule = "", .caveat = precision.caveat};
  row.rule = fmt::format("{} of {}", precision.layers, plural(precision.layers + precision.kept, "layer"));
  row.count = precision.layers;
  row.before_ms = bounds.fused().sequential.bound_ms;
  row.is_measured = precision.layers > 0;
  row.after_ms = row.is_measured ? precision.bound_ms : row.before_ms;
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
  row.caveat = joined_sentences(
      {row.caveat, is_parallel ? "branches share cores and memory" : "", missing_text(fused.sequential)});
  return row;
}

}  // namespace

std::vector<WhatIf> what_ifs(const Bounds& bounds, const std::vector<ImplementationChoice>& choices,
                             const std::vector<PrecisionBound>& precisions) {
  if (!has_any_time(bounds.layers().sequential)) return {};
  const bool is_partial = lacks_most(bounds.fused().sequential);
  std::vector<WhatIf> rows;
  if (!is_partial) {
    rows = what_if_fused(bounds);
    rows.push_back(what_if_parallel(bounds));
  }
  if (!choices.empty()) rows.push_back(what_if_best_implementations(choices));
  for (const PrecisionBound& precision : precisions) rows.push_back(what_if_typed(bounds, precision));
  if (!is_partial) rows.push_back(what_if_all(bounds, precisions));
  return rows;
}

}  // namespace xsp::bound
