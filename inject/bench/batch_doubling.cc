#include "inject/bench/batch_doubling.h"

#include <fmt/format.h>

namespace xsp::bench {
namespace {

// As that of A1 (analysis/tables/optimal_batch.cc): what the sweep stops at is the optimum that the report names.
constexpr double kWorthwhileRise = 1.05;
constexpr int64_t kLargest = 1'000'000'000'000'000'000;  // 10^9, in billionths

}  // namespace

std::string end_by_rule(const std::string& parameter, const std::vector<PointThroughput>& points) {
  if (points.size() < 2) return {};
  const PointThroughput& before = points[points.size() - 2];
  const PointThroughput& now = points.back();
  if (now.per_second > kWorthwhileRise * before.per_second) return {};
  return fmt::format("{0}={1} has {2:.4g} inputs/s, {3:+.1f} % over {0}={4}: no rise of more than 5 %", parameter,
                     now.value, now.per_second, (now.per_second / before.per_second - 1) * 100, before.value);
}

std::optional<Decimal> doubled(const Decimal& value, const std::optional<Decimal>& most) {
  if (value.billionths > kLargest / 2) return std::nullopt;
  const Decimal next = {2 * value.billionths, value.digits};
  if (most && next.billionths > most->billionths) return std::nullopt;
  return next;
}

}  // namespace xsp::bench
