#pragma once

#include <functional>
#include <span>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

inline constexpr Row kAmbiguous = UINT32_MAX - 1;

/// One step of the search for parents by time.
struct ContainmentSearch {
  std::vector<Row> candidates;  // possible parents, any order
  std::vector<Row> children;    // any order

  /// How far a child may stick out of its parent, for spans of different clocks.
  int64_t tolerance_ns = 0;
  /// A child is in what holds its middle, so that of neighbours only one has it, whatever the tolerance.
  bool by_middle = false;
  /// Spans of different threads: a child inside two candidates that overlap each other belongs to the one on its own
  /// thread, if only one is.
  bool across_threads = false;
  /// Tells which of incomparable candidates is the parent, or kAmbiguous; may be empty.
  std::function<Row(Row child, std::span<const Row> containing)> choose;
};

/// Calls `found(child, parent)` for each child: the innermost candidate of the nearest outer level whose half-open
/// interval [begin, end) contains the child; kNoRow when none does, kAmbiguous when two incomparable ones do (neither
/// contains the other). A span without id may also lie in a longer model span when it is a model span itself.
void find_containing(const Trace& trace, ContainmentSearch search, const std::function<void(Row, Row)>& found);

}  // namespace xsp::analysis
