#include "bound/tables/doubt_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/quantity_text.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/run_doubts.h"
#include "bound/tables/shown_mode.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

constexpr double kNoisyShare = 0.1;      // of the bound
constexpr double kMostlyNoisy = 0.5;     // of the bound
constexpr double kUnpricedFlops = 0.01;  // of the model's flops

/// Layers that count and have no time, by type, most frequent first: "Erf (12), Gather (2)".
std::string missing_types(const Bounds& bounds) {
  constexpr size_t kNamed = 3;
  const BoundMode& mode = shown_mode(bounds);
  std::map<std::string, size_t> types;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    if (time.counts && !mode.shares[index].bound_ms) ++types[bounds.model->layers[index].type];
  }
  std::vector<std::pair<std::string, size_t>> order(types.begin(), types.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kNamed); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", order[i].first, order[i].second);
  }
  if (order.size() > kNamed) text += fmt::format(" and {}", plural(order.size() - kNamed, "further type"));
  return text;
}

/// Whether most of what has no time was never measured, rather than tried in vain.
bool is_unmeasured(const Bounds& bounds) {
  size_t unmeasured = 0;
  const BoundMode& mode = shown_mode(bounds);
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    const bool is_missing = bounds.times[layer].counts && !mode.shares[layer].bound_ms;
    unmeasured += is_missing && bounds.times[layer].reason.starts_with("not measured") ? 1 : 0;
  }
  return 2 * unmeasured > mode.sequential.missing;
}

/// What to do about layers without a time.
std::string advice_for_missing(const TimesSource& source, const Bounds& bounds) {
  if (source.is_given) return "B2 tells which; the file of --times lacks them";
  if (source.other_threads) {
    return fmt::format("{} of them {} a time with {}: --threads {} takes it", source.other_threads->layers,
                       source.other_threads->layers == 1 ? "has" : "have",
                       plural(static_cast<size_t>(source.other_threads->threads), "thread"),
                       source.other_threads->threads);
  }
  return is_unmeasured(bounds) ? "run it again without --no-run and --time-limit; B2 tells more" : "B2 tells why";
}

void find_missing(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = shown_mode(bounds).sequential;
  if (bound.missing == 0) return;
  // That there is nothing of the device of the trace says it all.
  if (bound.missing == bound.layers && is_of_other_device(source, bounds)) return;
  const double unpriced = bound.coverage_flops_pct ? 1 - *bound.coverage_flops_pct / 100 : 0;
  std::string text = fmt::format("{} of {} {} no time and {} out of the bound: {}", bound.missing,
                                 plural(bound.layers, "layer"), bound.missing == 1 ? "has" : "have",
                                 bound.missing == 1 ? "is left" : "are left", missing_types(bounds));
  if (unpriced >= kUnpricedFlops) text += fmt::format("; with {} of the flops", percent(unpriced));
  Finding& finding = found->emplace_back();
  finding.id = "bound-incomplete";
  finding.text = std::move(text);
  finding.advice = advice_for_missing(source, bounds);
  finding.value = static_cast<double>(bound.missing);
  finding.unit = "layers";
  finding.table = "B2";
  finding.column = "type";
  finding.key = "all";
  finding.weight = 1;
}

void find_noise(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = shown_mode(bounds).sequential;
  if (source.is_given || !(bound.bound_ms > 0) || bound.noisy_ms < kNoisyShare * bound.bound_ms) return;
  const std::string share = percent(bound.noisy_ms / bound.bound_ms);
  Finding& finding = found->emplace_back();
  finding.id = "benchmarks-disturbed";
  finding.value = 100 * bound.noisy_ms / bound.bound_ms;
  finding.unit = "%";
  finding.table = "B3";
  const Trust trust = trust_in(source, bounds);
  if (trust != Trust::kBound) {
    finding.text = fmt::format(
        "{} of the bound rests on benchmarks that something disturbed ({}): their typical time is more than 20 % "
        "above the least, and the least may be {} too long as well",
        share, plural(bound.noisy, "layer"), trust == Trust::kAbout ? "some per cent" : "many times");
    finding.advice = source.threads > 1
                         ? "close what else runs, then measure again with --refresh, or with fewer --threads: a thread "
                           "that waits for its turn holds up all others"
                         : "close what else runs, then measure again: --refresh";
    finding.weight = 1;
  } else {
    finding.text = fmt::format(
        "{} of the bound rests on benchmarks whose typical time is more than 20 % above the least ({}); the least "
        "counts",
        share, plural(bound.noisy, "layer"));
    finding.is_note = true;
  }
}

}  // namespace

Trust trust_in(const TimesSource& source, const Bounds& bounds) {
  if (shown_mode(bounds).sequential.noisy_ms <= kMostlyNoisy * shown_mode(bounds).sequential.bound_ms)
    return Trust::kBound;
  return source.threads > 1 ? Trust::kUnusable : Trust::kAbout;
}

void find_doubts(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  find_missing(source, bounds, found);
  find_noise(source, bounds, found);
  find_comparison_doubts(source, bounds, found);
}

}  // namespace xsp::bound
