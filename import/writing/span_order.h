#pragma once

#include <cstdint>
#include <vector>

#include "import/frame/profile_timeline.h"

namespace xsp {

/// A Python function, which calls the other spans of its thread.
inline bool is_python(const ImportedSpan& span) {
  return span.kind == wire::Kind::kPythonFunction || span.kind == wire::Kind::kTorchModule;
}

/// An executed graph node. It is placed by its scope, not its thread, so it is written apart from the other spans.
inline bool is_node(const ImportedSpan& span) { return span.scope != 0 && span.level == wire::Level::kLayer; }

/// The spans of one thread that are written nested, in order of their begin, of those that begin together the longer
/// one first. The n-th has the id n in its ring. Takes no memory if they were added in that order.
class SpanOrder {
 public:
  explicit SpanOrder(const ImportedProcess::Thread& thread);

  uint32_t count() const { return count_; }
  /// The span with number n has the id n + 1.
  bool is_as_added() const { return numbers_.empty(); }
  /// Which span of the thread has this id, from 1 to count().
  uint32_t number_of(uint32_t id) const { return numbers_.empty() ? id - 1 : numbers_[id - 1]; }
  /// The id of each span, by its number; 0: it is not written here.
  std::vector<uint32_t> ids() const;

 private:
  uint32_t spans_;
  uint32_t count_;
  std::vector<uint32_t> numbers_;  // by id - 1; empty: as they were added
};

}  // namespace xsp
