#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "import/kineto/host_threads.h"

namespace xsp::kineto {

/// Which forward operator a backward operator computes the gradient of. Both have the same sequence number, which
/// autograd counts per forward thread; of several forward operators with one number, the last, innermost one created
/// the node. The forward thread is given as autograd's own number, so its thread is learned from flows and from
/// sequence numbers that only one thread has.
class BackwardLinks {
 public:
  explicit BackwardLinks(HostThreads* threads) : threads_(threads) {}

  /// An operator with a sequence number; `forward_thread` is 0 for one of the forward pass.
  void add(uint32_t thread, uint32_t span, int64_t sequence, int64_t forward_thread);
  /// A flow from a forward operator or to a backward operator, matched by the time at which it begins.
  void add_flow(uint32_t thread, int64_t time_ns, int64_t flow, bool is_end);

  /// Passes the links to the processes. Returns how many backward operators have none.
  uint64_t link();

 private:
  struct Operator {
    int64_t sequence;
    uint32_t thread;
    uint32_t span;
  };
  struct Backward {
    Operator what;
    int64_t forward_thread;
  };
  struct Flow {
    uint32_t begin_thread = UINT32_MAX;
    uint32_t end_thread = UINT32_MAX;
    int64_t end_ns = 0;
  };
  using Forwards = std::span<const Operator>;

  const ImportedSpan& span_of(const Operator& what) { return threads_->span(what.thread, what.span); }
  uint32_t process_of(const Operator& what) { return threads_->thread(what.thread).process; }
  void sort_forwards();
  Forwards forwards_of(const Backward& backward);
  void learn_threads();
  const Operator* last_before(Forwards of_thread, int64_t time_ns);
  const Operator* find(const Backward& backward);

  HostThreads* threads_;
  std::vector<Operator> forwards_;  // then by process, number, thread and time
  std::vector<Backward> backwards_;
  std::unordered_map<int64_t, Flow> flows_;
  std::unordered_map<uint64_t, uint32_t> thread_of_;  // by process and autograd's number of the thread
};

}  // namespace xsp::kineto
