#include "inject/launch/run/trace_outcome.h"

#include <algorithm>

#include "inject/launch/run/output_name.h"

namespace xsp::launch {

bool TraceOutcome::is_streamed() const { return is_stream(output); }

bool is_whole(const TraceOutcome& outcome) {
  const auto& losses = outcome.status.losses;
  return outcome.is_finished() && outcome.status.complete && outcome.status.dropped == 0 &&
         outcome.status.unrecorded.empty() && std::all_of(losses.begin(), losses.end(), is_on_purpose) &&
         outcome.status.spans > 0;
}

bool is_on_purpose(const CollectorStatus::Loss& loss) { return loss.reason == "NOT_COUNTED"; }

}  // namespace xsp::launch
