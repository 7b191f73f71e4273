#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// ORT's node times have microsecond resolution at both ends, so that a node may stick out of its run by up to this.
inline constexpr int64_t kScopeToleranceNs = 2000;

/// Damaged input could chain spans without end; real nesting stays far below this.
inline constexpr int kMaxDepth = 1000;

/// In Parents::forward: backward work of a span that is not known.
inline constexpr Row kUnknownForward = UINT32_MAX - 1;

/// The parent of every span, and what could not be told.
struct Parents {
  std::vector<Row> of;       // by row; kNoRow: none
  std::vector<Row> capture;  // by index in Trace::executions: the span that made a graph's node; empty without graphs

  /// By row, of backward work: the span whose gradient it computes, or kUnknownForward; kNoRow: no backward work as far
  /// as the trace tells. Empty where no span is.
  std::vector<Row> forward;

  Row forward_of(Row row) const { return row < forward.size() ? forward[row] : kNoRow; }

  std::vector<Row> doubtful;  // rows inside two incomparable spans, whose parents are not known

  std::array<uint64_t, kLevelCount> ambiguous = {};       // how many these are
  std::array<uint64_t, kLevelCount> resolved = {};        // would be, had another run not told their parents
  std::array<uint64_t, kLevelCount> outside_parent = {};  // explicit parent's interval does not hold the span

  std::string told_by;  // of ToldParents, as are the next
  std::string why_not;
};

/// What another run tells of spans inside several incomparable ones.
struct ToldParents {
  std::unordered_map<Row, std::vector<Row>> of;  // by span what it lies in, the innermost first
  std::string by;       // "run 5"; of several sets or points "runs 5, 9"; empty: none was there
  std::string why_not;  // why some are not told; empty: all are
};

/// Finds parents in this order: the one the tracer knew (process, ring, id); for a node of a graph among the spans of
/// its scope (session) in the process, by time across threads, and there in a node of its thread that contains it; for
/// a call made inside such a node, that node; on the same thread by time. The parent of an execution is its launch.
/// Of incomparable spans that hold a child `told` chooses.
Parents find_parents(const Trace& trace, const ToldParents& told = {});

}  // namespace xsp::analysis
