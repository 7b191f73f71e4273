#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Rows by (process, ring, id). A ring's ids are nearly dense, so a plain array serves it; ids far beyond the number
/// of its spans (damage) go into a sorted list instead, so that memory follows the spans.
class SpanIds {
 public:
  explicit SpanIds(const Trace& trace);

  /// The explicit parent of a span that a thread recorded. Ids count in order of begin, so a parent's id is the smaller
  /// one: no cycles.
  Row parent_of(Row row) const;

  /// The span that `reference` names in a process; kNoRow when it is not there.
  Row find(uint32_t process, SpanReference reference) const;

 private:
  struct Ring {
    uint64_t count = 0;
    uint32_t max_id = 0;
    std::vector<Row> dense;
    std::vector<std::pair<uint32_t, Row>> sparse;
  };

  Ring& ring_of(Row row) { return rings_[ring_of_track_[trace_.spans.track[row]]]; }
  static void add(Ring& ring, uint32_t id, Row row);
  static Row find_in(const Ring& ring, uint32_t id);

  const Trace& trace_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;  // of (process, ring)
  std::vector<uint32_t> ring_of_track_;
  std::vector<Ring> rings_;
};

}  // namespace xsp::analysis
