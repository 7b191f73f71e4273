#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/trace/level.h"

namespace xsp::analysis {

/// What Aggregates of trace.proto counts of one name: all spans, whether they are stored or not.
struct SpanTotals {
  uint64_t spans = 0;
  uint64_t stored = 0;  // as spans in a part, removed ones too
  uint64_t total_ns = 0;
  uint64_t min_ns = UINT64_MAX;
  uint64_t max_ns = 0;
  uint64_t failed = 0;
  std::vector<std::pair<uint32_t, uint64_t>> buckets;  // (proto/duration_buckets.h, spans), in order

  void add(const SpanTotals& other);

  /// The duration that a share of the spans, in (0, 1], takes at most, by nearest rank: from the buckets at most 3.2 %
  /// off, and within [min_ns, max_ns]. 0 without spans.
  double quantile_ns(double share) const;
};

struct SpanTotalsKey {
  Level level = Level::kUnspecified;
  Kind kind = Kind::kUnspecified;
  uint32_t name = 0;  // string id of the trace; 0: none, or names beyond those that the collector keeps
  uint32_t type = 0;

  auto operator<=>(const SpanTotalsKey&) const = default;
};

/// A time, as a rule a minute, of one process.
struct AggregateWindow {
  uint32_t process = 0;
  int64_t begin = 0;  // ns of CLOCK_MONOTONIC
  int64_t end = 0;
  std::array<uint64_t, kLevelCount> spans = {};  // by level
  uint64_t stored = 0;
  uint64_t failed_models = 0;
  SpanTotals models;  // spans of level model
};

/// What was counted in one process.
struct ProcessAggregates {
  std::map<SpanTotalsKey, SpanTotals> rows;  // in the windows of the parts that are there
  int64_t begin = INT64_MAX;
  int64_t end = 0;

  /// Counts from before a part, which is the first of those that were read.
  std::map<SpanTotalsKey, SpanTotals> before;
  int64_t before_begin = INT64_MAX;
  uint32_t before_part = 0;  // its index; 0: of no part
  bool has_before = false;
  bool before_is_empty = false;  // no time lies before that part
};

/// The aggregates of the input, added up while it is loaded: memory follows names and minutes.
struct AggregateTable {
  std::map<uint32_t, ProcessAggregates> processes;  // by index of Trace::processes
  std::vector<AggregateWindow> windows;             // in no order

  bool empty() const { return processes.empty(); }

  /// All that happened in a process. `first_part`: index of the first part of its recording that is there (0: the
  /// recording is one file). A total holds what was counted before its part, so only the totals of that part hold what
  /// is in no window. Totals of later parts do not cover the same processes, because those of a process that ends are
  /// added to those of process 0.
  template <typename Take>
  void for_each(uint32_t process, uint32_t first_part, Take&& take) const {
    const auto found = processes.find(process);
    if (found == processes.end()) return;
    if (found->second.has_before && found->second.before_part == first_part) {
      for (const auto& [key, totals] : found->second.before) take(key, totals);
    }
    for (const auto& [key, totals] : found->second.rows) take(key, totals);
  }
};

}  // namespace xsp::analysis
