#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "import/kineto/host_threads.h"
#include "import/kineto/profiler_event.h"

namespace xsp::kineto {

/// What called what, in profiles whose times, in whole microseconds, leave it open: an operator of one microsecond that
/// begins in the microsecond in which another one ends is either inside it or after it.
///
/// - Operators and annotations have `External id`s in the order in which they began, those of runtime calls name the
///   operator around the call, and Python functions name their parent.
/// - Whether an operator is inside the one that began before it is visible wherever both are long enough; where the
///   times leave it open, it is taken to be as it mostly was between operators of these two names.
class CallOrder {
 public:
  explicit CallOrder(HostThreads* threads) : threads_(threads) {}

  /// A complete event that became span `number` of a thread.
  void add(const ProfilerEvent& event, Category category, uint32_t thread, uint32_t number);
  /// The times are finer: nothing is to be told.
  void clear();
  /// Tells the processes; `resolution` is that of the times.
  void tell(int64_t resolution);

 private:
  struct Operator {
    int64_t external;
    uint32_t thread;
    uint32_t span;
  };
  struct Call {
    int64_t external;
    int64_t correlation;
    uint32_t thread;
    uint32_t span;
  };
  struct Function {
    int64_t id;
    int64_t parent;
    uint32_t thread;
    uint32_t span;
  };
  /// How often an operator was in the one before it that was still open or had just ended, and how often behind it.
  struct Seen {
    uint32_t inside = 0;
    uint32_t behind = 0;
  };
  using Range = std::pair<size_t, size_t>;  // of one thread, in operators_

  const ImportedSpan& span_of(uint32_t thread, uint32_t span) { return threads_->span(thread, span); }
  std::vector<Range> sort_operators();
  template <typename Decide, typename Found>
  void nest(Range range, Decide&& decide, Found&& found);
  uint64_t names_of(const Operator& outer, const Operator& inner);
  void learn(Range range);
  void tell_operators(Range range);
  void tell_functions();
  bool holds(const ImportedSpan& outer, const ImportedSpan& inner) const;

  HostThreads* threads_;
  int64_t resolution_ = 0;
  std::vector<Operator> operators_;
  std::vector<Call> calls_;
  std::vector<Function> functions_;
  std::unordered_map<uint64_t, Seen> seen_;  // by names_of(), of one process
};

}  // namespace xsp::kineto
