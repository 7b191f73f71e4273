#pragma once

#include <cstdint>

#include "inject/guard/spin_lock.h"

namespace xsp::guest {

struct Thread;

/// What a sampled model call costs its thread more than the next one that is not sampled: everything, also what hooks
/// cannot see of themselves, such as PyTorch's work to call them. Compared is the processor time from the begin of a
/// call to that of the next, so that backward passes are in it and waiting is not.
struct CallCosts {
  static constexpr uint32_t kKept = 31;
  static constexpr uint32_t kEnough = 5;

  struct Difference {
    double ns;
    double ratio;  // to the call that is not sampled
  };

  SpinLock<LockOrder::kCallCosts> lock;
  Difference latest[kKept];
  uint64_t count;  // ever

  /// The medians of the latest ones; 0 where there are too few, or the sampled calls are not the longer ones.
  Difference median();
};

/// Of a thread: the sampled call that was measured last, and which call is being measured.
struct MeasuredCall {
  enum class Phase : uint8_t { kNone, kSampled, kNext };
  uint64_t begin_ns;
  uint64_t sampled_ns;
  uint32_t name;
  Phase phase;
};

/// The outermost model call `name` has begun on the thread.
void measure_call(Thread& thread, CallCosts& costs, uint32_t name, bool is_sampled);

}  // namespace xsp::guest
