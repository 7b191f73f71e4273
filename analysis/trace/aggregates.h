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

/// All that happened in one process, removed parts included.
struct ProcessAggregates {
  std::map<SpanTotalsKey, SpanTotals> rows;
  int64_t begin = INT64_MAX;
  int64_t end = 0;
  uint32_t total_part = 0;  // of the total that `rows` begins with; 0: none, all is there
  uint32_t last_part = 0;
};

/// The aggregates of the input, added up while it is loaded: memory follows names and minutes.
struct AggregateTable {
  std::map<uint32_t, ProcessAggregates> processes;  // by index of Trace::processes
  std::vector<AggregateWindow> windows;             // in no order

  bool empty() const { return processes.empty(); }
};

}  // namespace xsp::analysis
