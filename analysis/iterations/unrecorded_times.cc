#include "analysis/iterations/unrecorded_times.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {

UnrecordedTimes::UnrecordedTimes(const Trace& trace, uint32_t process) {
  const SpanTable& spans = trace.spans;
  for (Row row = 0; row < spans.shallow.size(); ++row) {
    if (spans.is_shallow(row) && trace.process_of(row) == process) times_.push_back({spans.begin[row], spans.end[row]});
  }
  for (const Gap& gap : trace.gaps) {
    const bool is_left_out = gap.reason == GapReason::kNotStored || gap.reason == GapReason::kNotSampled;
    if (is_left_out && gap.process == process) times_.push_back({gap.begin, gap.end == 0 ? INT64_MAX : gap.end});
  }
  times_ = united(std::move(times_));
}

bool UnrecordedTimes::is_between(int64_t from, int64_t to) const {
  const auto first =
      std::upper_bound(times_.begin(), times_.end(), from,
                       [](int64_t time, const TimeInterval& unrecorded) { return time < unrecorded.end; });
  return first != times_.end() && first->begin < to;
}

}  // namespace xsp::analysis
