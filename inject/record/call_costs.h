#pragma once

#include <cstdint>

#include "inject/guard/spin_lock.h"

namespace xsp::guest {

struct Thread;

/// How much more a sampled model call costs its thread than the next one that is not sampled. That includes what hooks
/// cannot see of themselves, such as PyTorch's work to call them. We compare the processor time from the begin of a
/// call to the begin of the next, which includes backward passes and leaves out waiting.
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

  /// The medians of the latest ones; 0 where there are too few, or where sampled calls are not longer than others.
  Difference median();
};

/// State of one thread: the sampled call that was measured last, and which call is being measured.
struct MeasuredCall {
  enum class Phase : uint8_t { kNone, kSampled, kNext };
  uint64_t begin_ns;
  uint64_t sampled_ns;
  uint32_t name;
  Phase phase;
};

/// To be called when the outermost model call `name` has begun on the thread.
void measure_call(Thread& thread, CallCosts& costs, uint32_t name, bool is_sampled);

}  // namespace xsp::guest
