#include "import/writing/segment.h"

namespace xsp {
namespace {

/// Times lie between these, about 73 years before and 146 after the input's origin, so that no difference overflows.
constexpr int64_t kEarliest = -(int64_t{1} << 61);
constexpr int64_t kLatest = int64_t{1} << 62;

}  // namespace

SegmentTimes::SegmentTimes(ProfileTimeline* timeline) {
  int64_t first = kLatest;
  for (ImportedProcess& process : timeline->processes()) {
    ImportedProcess::Contents& contents = process.contents();
    for (ImportedProcess::Thread& thread : contents.threads) {
      for (ImportedSpan& span : thread.spans) {
        if (check(&span.begin_ns, &span.end_ns)) first = std::min(first, span.begin_ns);
      }
    }
    for (ImportedExecution& execution : contents.executions) {
      if (check(&execution.begin_ns, &execution.end_ns)) first = std::min(first, execution.begin_ns);
    }
  }
  origin_ = first == kLatest ? 0 : first;
}

bool SegmentTimes::check(int64_t* begin, int64_t* end) {
  if (*begin < kEarliest || *begin > kLatest || *end < kEarliest || *end > kLatest) {
    ++without_time_;
    *begin = *end = kNowhere;
    return false;
  }
  if (*end < *begin) {
    ++inverted_;
    *end = *begin;
  }
  return true;
}

}  // namespace xsp
