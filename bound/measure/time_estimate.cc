#include "bound/measure/time_estimate.h"

#include <algorithm>
#include <cmath>

namespace xsp::bound {
namespace {

constexpr double kFlopsPerSecond = 50e9;
constexpr double kBytesPerSecond = 10e9;

double amount(double number) { return std::isfinite(number) ? std::max(number, 0.0) : 0; }

}  // namespace

double guessed_call_s(const WorkItem& item) {
  return std::max(amount(item.flops) / kFlopsPerSecond, amount(item.bytes) / kBytesPerSecond);
}

TimeEstimate::TimeEstimate(const std::vector<Benchmark>& benchmarks, double budget_ms) : budget_s_(budget_ms / 1e3) {
  for (const Benchmark& benchmark : benchmarks) {
    const double weight = weight_of(benchmark);
    parts_[benchmark.library].left_weight += weight;
    all_.left_weight += weight;
  }
}

/// An implementation takes its budget, or a few calls where these take longer.
double TimeEstimate::weight_of(const Benchmark& benchmark) const {
  return budget_s_ + 10 * guessed_call_s(*benchmark.item) + 1e-3;
}

double TimeEstimate::seconds_of_weight(const Part& part) const {
  // What other libraries took says something where this one has not begun.
  const Part& known = part.done_weight > 0 ? part : all_;
  return known.done_weight > 0 ? known.done_s / known.done_weight : 0;
}

void TimeEstimate::finish(const Benchmark& benchmark, double seconds) {
  const double weight = weight_of(benchmark);
  for (Part* const part : {&parts_[benchmark.library], &all_}) {
    part->done_s += seconds;
    part->done_weight += weight;
    part->left_weight = std::max(part->left_weight - weight, 0.0);
  }
}

double TimeEstimate::left_s(const Benchmark& current, double current_s) const {
  double left = 0;
  for (const auto& [library, part] : parts_) {
    double part_s = part.left_weight * seconds_of_weight(part);
    if (library == current.library) {
      const double of_current = weight_of(current) * seconds_of_weight(part);
      part_s -= std::min(current_s, of_current);
    }
    left += std::max(part_s, 0.0);
  }
  return left;
}

}  // namespace xsp::bound
