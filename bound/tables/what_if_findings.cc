#include "bound/tables/what_if_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/what_if_table.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

// Shares of the bound from which on something is said.
constexpr double kPrecisionGain = 0.05;
constexpr double kFusionGain = 0.03;
constexpr double kImplementationGain = 0.02;

bool is_precision(const WhatIf& one) {
  const std::vector<std::string> names = precision_names();
  return std::ranges::find(names, one.what) != names.end();
}

/// `ms` saved of the row's before_ms. What is compared with others, and weighs, is a share of the same whole for all.
Finding worth_finding(const char* id, double ms, const WhatIf& row, const Bounds& bounds) {
  Finding finding;
  finding.id = id;
  finding.weight = ms / bounds.layers().sequential.bound_ms;
  finding.value = row.before_ms > 0 ? 100 * ms / row.before_ms : 0;
  finding.unit = "%";
  finding.share_pct = finding.value;
  finding.share_of = "bound";
  finding.gain_ms = ms;
  finding.table = kB7.id;
  finding.column = kB7.what.name;
  finding.key = row.what;
  return finding;
}

void find_best_precision(const Bounds& bounds, const std::vector<WhatIf>& what_ifs, std::vector<Finding>* found) {
  const WhatIf* best = nullptr;
  for (const WhatIf& one : what_ifs) {
    if (is_precision(one) && one.count > 0 && (best == nullptr || one.profit_ms() > best->profit_ms())) best = &one;
  }
  if (best == nullptr) return;
  Finding finding = worth_finding("what-if-precision", best->profit_ms(), *best, bounds);
  if (finding.weight < kPrecisionGain) return;
  finding.text =
      fmt::format("In {} ({}) the fused bound would be {}, not {}: {} less", best->what, best->rule,
                  duration(best->after_ms), duration(best->before_ms), percent(best->profit_ms() / best->before_ms));
  finding.advice = best->caveat;
  found->push_back(std::move(finding));
}

/// A type that people expect to be faster, and that is not.
void find_losing_precisions(const Bounds& bounds, const std::vector<WhatIf>& what_ifs, std::vector<Finding>* found) {
  for (const WhatIf& one : what_ifs) {
    if (!is_precision(one) || one.what == "f64" || one.count == 0 || one.profit_ms() >= 0) continue;
    Finding finding = worth_finding("what-if-precision-loses", -one.profit_ms(), one, bounds);
    finding.gain_ms.reset();
    finding.is_note = true;
    finding.text =
        fmt::format("{} would be a loss: {} instead of {}", one.what, duration(one.after_ms), duration(one.before_ms));
    finding.advice = one.caveat;
    found->push_back(std::move(finding));
  }
}

void find_fusion(const Bounds& bounds, const std::vector<WhatIf>& what_ifs, std::vector<Finding>* found) {
  double saved_ms = 0;
  size_t groups = 0;
  const WhatIf* dearest = nullptr;
  for (const WhatIf& one : what_ifs) {
    if (one.what != "fuse" || one.count == 0) continue;
    saved_ms += one.profit_ms();
    groups += one.count;
    if (dearest == nullptr || one.profit_ms() > dearest->profit_ms()) dearest = &one;
  }
  if (dearest == nullptr) return;
  Finding finding = worth_finding("what-if-fused", saved_ms, *dearest, bounds);
  if (finding.weight < kFusionGain) return;
  finding.column = kB7.rule.name;
  finding.key = dearest->rule;
  finding.text =
      fmt::format("Layers that one call can compute together save {} ({} of the bound) in {}, most by the rule {}",
                  duration(saved_ms), percent(finding.value / 100), plural(groups, "group"), dearest->rule);
  found->push_back(std::move(finding));
}

void find_better_implementations(const Bounds& bounds, const std::vector<WhatIf>& what_ifs,
                                 std::vector<Finding>* found) {
  for (const WhatIf& one : what_ifs) {
    if (one.what != "implementations" || one.count == 0) continue;
    Finding finding = worth_finding("what-if-implementations", one.profit_ms(), one, bounds);
    if (finding.weight < kImplementationGain) return;
    finding.text = fmt::format(
        "By benchmarks, the library calls would take {}, not {}, with the fastest implementation in each: "
        "{} less, in {}",
        duration(one.after_ms), duration(one.before_ms), percent(one.profit_ms() / one.before_ms),
        plural(one.count, "call"));
    finding.advice = one.caveat;
    found->push_back(std::move(finding));
  }
}

}  // namespace

void add_what_if_findings(const BoundSubject& subject, std::vector<Finding>* found) {
  std::vector<Finding> worth;
  for (size_t index = 0; index < subject.bounds.size() && index < subject.advice.size(); ++index) {
    const Bounds& bounds = subject.bounds[index];
    const std::vector<WhatIf>& what_ifs = subject.advice[index].what_ifs;
    if (!(bounds.layers().sequential.bound_ms > 0)) continue;
    std::vector<Finding> of_model;
    find_best_precision(bounds, what_ifs, &of_model);
    find_fusion(bounds, what_ifs, &of_model);
    find_better_implementations(bounds, what_ifs, &of_model);
    find_losing_precisions(bounds, what_ifs, &of_model);
    for (Finding& finding : of_model) {
      if (subject.has_several()) finding.text = bounds.model->name + ": " + finding.text;
      worth.push_back(std::move(finding));
    }
  }
  std::stable_sort(worth.begin(), worth.end(), [](const Finding& a, const Finding& b) {
    return a.is_note != b.is_note ? b.is_note : a.weight > b.weight;
  });
  found->insert(found->end(), worth.begin(), worth.end());
}

}  // namespace xsp::bound
