#include "trace_outcome.h"

namespace xsp::launch {

bool is_whole(const TraceOutcome& outcome) {
  return outcome.is_finished() && outcome.status.complete && outcome.status.dropped == 0 &&
         outcome.status.losses.empty() && outcome.status.spans > 0;
}

}  // namespace xsp::launch
