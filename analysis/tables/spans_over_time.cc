/// Q3: what happened over time, from the counts of each minute.

#include "analysis/tables/spans_over_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/units.h"

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {
namespace {

constexpr int64_t kMinute = 60'000'000'000;
/// The minutes of a week; for more time each row covers several minutes.
constexpr int64_t kMostTimeRows = 10'080;

/// What the processes under study did in a time.
struct Minute {
  std::array<uint64_t, kLevelCount> spans = {};
  uint64_t stored = 0;
  SpanTotals models;
  std::map<uint32_t, int64_t> covered;  // by process: ns

  void add(const AggregateWindow& window) {
    for (size_t level = 0; level < kLevelCount; ++level) spans[level] += window.spans[level];
    stored += window.stored;
    models.add(window.models);
    covered[window.process] += window.end - window.begin;
  }

  uint64_t all() const {
    uint64_t sum = 0;
    for (const uint64_t count : spans) sum += count;
    return sum;
  }

  /// The time that the rate is of: that of the process that was counted longest.
  double seconds() const {
    int64_t longest = 0;
    for (const auto& [process, ns] : covered) longest = std::max(longest, ns);
    return static_cast<double>(longest) / kNsPerSecond;
  }
};

}  // namespace

Table spans_over_time(const Study& study) {
  Table table = make_table(kQ3, study);
  int64_t first = INT64_MAX;
  int64_t last = 0;
  for (const AggregateWindow& window : study.trace.aggregates.windows) {
    if (!is_process_under_study(study, window.process)) continue;
    first = std::min(first, window.begin);
    last = std::max(last, window.end);
  }
  if (last == 0) {
    table.notes.emplace_back(
        "the trace has no counts per minute: record with xsp-run --continuous, --max-size or --max-rate");
    table.lacks_data = true;
    return table;
  }
  const int64_t minutes = (last - first) / kMinute + 1;
  const int64_t step = (minutes + kMostTimeRows - 1) / kMostTimeRows;
  std::map<int64_t, Minute> rows;
  for (const AggregateWindow& window : study.trace.aggregates.windows) {
    if (!is_process_under_study(study, window.process)) continue;
    // Windows that rotation cut off are shorter: each belongs where its middle is.
    const int64_t middle = window.begin + (window.end - window.begin) / 2;
    rows[(middle - first) / kMinute / step].add(window);
  }
  for (const auto& [number, minute] : rows) {
    const double seconds = minute.seconds();
    const auto rate = [&](uint64_t count) { return seconds > 0 ? cell(static_cast<double>(count) / seconds) : Cell(); };
    const uint64_t all = minute.all();
    const SpanTotals& models = minute.models;
    TableRow row = table.add_row();
    row.set(kQ3.minute, static_cast<int64_t>(number * step));
    row.set(kQ3.spans, count_cell(all));
    row.set(kQ3.spans_per_s, rate(all));
    if (all != 0) {
      row.set(kQ3.stored_pct, cell(100 * static_cast<double>(std::min(minute.stored, all)) / static_cast<double>(all)));
    }
    row.set(kQ3.model_calls, count_cell(models.spans));
    row.set(kQ3.calls_per_s, rate(models.spans));
    if (!models.buckets.empty()) {
      row.set(kQ3.p50_ms, cell(models.quantile_ns(0.5) / kNsPerMs));
      row.set(kQ3.p99_ms, cell(models.quantile_ns(0.99) / kNsPerMs));
    }
    if (models.spans != 0) row.set(kQ3.max_ms, cell(static_cast<double>(models.max_ns) / kNsPerMs));
    row.set(kQ3.failed, count_cell(models.failed));
  }
  table.notes.push_back(step == 1 ? "one row per counted minute, from the first in the trace"
                                  : fmt::format("each row covers {} minutes", step));
  table.notes.emplace_back("model calls are all spans of level model, for all models; p50 and p99 are within 3.2 %");
  return table;
}

}  // namespace xsp::analysis
