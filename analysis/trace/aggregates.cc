#include "analysis/trace/aggregates.h"

#include <algorithm>
#include <cmath>

#include "proto/duration_buckets.h"

namespace xsp::analysis {
namespace {

/// Counts come from a file that may claim anything.
void add_to(uint64_t* sum, uint64_t value) {
  if (__builtin_add_overflow(*sum, value, sum)) *sum = UINT64_MAX;
}

}  // namespace

void SpanTotals::add(const SpanTotals& other) {
  add_to(&spans, other.spans);
  add_to(&stored, other.stored);
  add_to(&total_ns, other.total_ns);
  add_to(&failed, other.failed);
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  for (const auto& [bucket, count] : other.buckets) {
    const auto at = std::lower_bound(buckets.begin(), buckets.end(), std::pair(bucket, uint64_t{0}));
    if (at != buckets.end() && at->first == bucket) {
      add_to(&at->second, count);
    } else {
      buckets.insert(at, {bucket, count});
    }
  }
}

double SpanTotals::quantile_ns(double share) const {
  uint64_t known = 0;
  for (const auto& [bucket, count] : buckets) add_to(&known, count);
  if (known == 0) return 0;
  const double rank = std::max(1.0, std::ceil(share * static_cast<double>(known)));
  const auto least = static_cast<double>(std::min(min_ns, max_ns));
  double below = 0;
  for (const auto& [bucket, count] : buckets) {
    below += static_cast<double>(count);
    if (below < rank) continue;
    const double middle =
        static_cast<double>(bucket_begin(bucket)) + (static_cast<double>(bucket_width(bucket)) - 1) / 2;
    return std::clamp(middle, least, static_cast<double>(max_ns));
  }
  return static_cast<double>(max_ns);
}

}  // namespace xsp::analysis
