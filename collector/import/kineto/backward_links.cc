#include "collector/import/kineto/backward_links.h"

#include <algorithm>
#include <map>

namespace xsp::kineto {
namespace {

uint64_t thread_key(uint32_t process, int64_t forward_thread) {
  return uint64_t{process} << 48 ^ static_cast<uint64_t>(forward_thread);
}

/// What a flow weighs against a sequence number that only one thread has.
constexpr uint64_t kFlowVotes = 1'000;

}  // namespace

void BackwardLinks::add(uint32_t thread, uint32_t span, int64_t sequence, int64_t forward_thread) {
  if (sequence < 0) return;
  if (forward_thread <= 0) {
    forwards_.push_back({sequence, thread, span});
  } else {
    backwards_.push_back({{sequence, thread, span}, forward_thread});
  }
}

void BackwardLinks::add_flow(uint32_t thread, int64_t time_ns, int64_t flow, bool is_end) {
  Flow& known = flows_[flow];
  if (is_end) {
    known.end_thread = thread;
    known.end_ns = time_ns;
  } else {
    known.begin_thread = thread;
  }
}

/// The forward operators of the same process with the same number, as a range of forwards_.
BackwardLinks::Range BackwardLinks::forwards_of(const Backward& backward) const {
  const uint32_t process = threads_->thread(backward.what.thread).process;
  const auto is_before = [&](const Operator& a, int64_t sequence) {
    const uint32_t of = threads_->thread(a.thread).process;
    return of != process ? of < process : a.sequence < sequence;
  };
  const auto first = std::lower_bound(forwards_.begin(), forwards_.end(), backward.what.sequence, is_before);
  auto last = first;
  while (last != forwards_.end() && last->sequence == backward.what.sequence &&
         threads_->thread(last->thread).process == process) {
    ++last;
  }
  return {static_cast<size_t>(first - forwards_.begin()), static_cast<size_t>(last - forwards_.begin())};
}

void BackwardLinks::learn_threads() {
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> votes;
  std::unordered_map<uint64_t, const Flow*> flow_ends;  // by thread and time
  const auto place = [](uint32_t thread, int64_t time_ns) {
    return uint64_t{thread} << 48 ^ static_cast<uint64_t>(time_ns);
  };
  for (const auto& [id, flow] : flows_) {
    if (flow.begin_thread != UINT32_MAX && flow.end_thread != UINT32_MAX) {
      flow_ends.emplace(place(flow.end_thread, flow.end_ns), &flow);
    }
  }
  for (const Backward& backward : backwards_) {
    const uint64_t key = thread_key(threads_->thread(backward.what.thread).process, backward.forward_thread);
    if (!flow_ends.empty()) {
      const auto flow = flow_ends.find(place(backward.what.thread, span_of(backward.what).begin_ns));
      if (flow != flow_ends.end()) votes[{key, flow->second->begin_thread}] += kFlowVotes;
    }
    const auto [first, last] = forwards_of(backward);
    if (first == last || forwards_[first].thread != forwards_[last - 1].thread) continue;
    ++votes[{key, forwards_[first].thread}];
  }
  std::unordered_map<uint64_t, uint64_t> most;
  for (const auto& [what, count] : votes) {
    if (count <= most[what.first]) continue;
    most[what.first] = count;
    thread_of_[what.first] = what.second;
  }
}

const BackwardLinks::Operator* BackwardLinks::find(const Backward& backward) {
  const auto [first, last] = forwards_of(backward);
  const uint64_t key = thread_key(threads_->thread(backward.what.thread).process, backward.forward_thread);
  const auto known = thread_of_.find(key);
  const ImportedSpan& from = span_of(backward.what);
  const Operator* found = nullptr;
  for (size_t i = first; i < last; ++i) {
    const Operator& forward = forwards_[i];
    if (known != thread_of_.end() && forward.thread != known->second) continue;
    const ImportedSpan& span = span_of(forward);
    if (span.begin_ns > from.begin_ns) continue;
    if (found != nullptr) {
      const ImportedSpan& best = span_of(*found);
      if (span.begin_ns < best.begin_ns || (span.begin_ns == best.begin_ns && span.end_ns > best.end_ns)) continue;
    }
    found = &forward;
  }
  return found;
}

uint64_t BackwardLinks::link() {
  std::sort(forwards_.begin(), forwards_.end(), [&](const Operator& a, const Operator& b) {
    const uint32_t of_a = threads_->thread(a.thread).process;
    const uint32_t of_b = threads_->thread(b.thread).process;
    if (of_a != of_b) return of_a < of_b;
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    return a.thread != b.thread ? a.thread < b.thread : a.span < b.span;
  });
  learn_threads();
  uint64_t without = 0;
  for (const Backward& backward : backwards_) {
    const Operator* const forward = find(backward);
    if (forward == nullptr) {
      ++without;
      continue;
    }
    const HostThread& of = threads_->thread(backward.what.thread);
    const HostThread& to = threads_->thread(forward->thread);
    of.host->process.link_forward({of.index, backward.what.span}, {to.index, forward->span});
  }
  forwards_ = {};
  backwards_ = {};
  flows_ = {};
  return without;
}

}  // namespace xsp::kineto
