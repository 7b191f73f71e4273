#include "import/kineto/backward_links.h"

#include <algorithm>
#include <map>

namespace xsp::kineto {
namespace {

uint64_t thread_key(uint32_t process, int64_t forward_thread) {
  return uint64_t{process} << 48 ^ static_cast<uint64_t>(forward_thread);
}

/// The weight of a flow relative to a sequence number that only one thread has.
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

void BackwardLinks::sort_forwards() {
  std::sort(forwards_.begin(), forwards_.end(), [&](const Operator& a, const Operator& b) {
    if (process_of(a) != process_of(b)) return process_of(a) < process_of(b);
    if (a.sequence != b.sequence) return a.sequence < b.sequence;
    if (a.thread != b.thread) return a.thread < b.thread;
    const ImportedSpan& span = span_of(a);
    const ImportedSpan& other = span_of(b);
    if (span.begin_ns != other.begin_ns) return span.begin_ns < other.begin_ns;
    return span.end_ns != other.end_ns ? span.end_ns > other.end_ns : a.span < b.span;
  });
}

/// The forward operators of the same process with the same number.
BackwardLinks::Forwards BackwardLinks::forwards_of(const Backward& backward) {
  const auto key = [&](const Operator& what) { return std::pair(process_of(what), what.sequence); };
  const auto wanted = key(backward.what);
  const auto begin = std::partition_point(forwards_.begin(), forwards_.end(),
                                          [&](const Operator& forward) { return key(forward) < wanted; });
  const auto end =
      std::partition_point(begin, forwards_.end(), [&](const Operator& forward) { return !(wanted < key(forward)); });
  return {begin, end};
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
    const Forwards forwards = forwards_of(backward);
    if (forwards.empty() || forwards.front().thread != forwards.back().thread) continue;
    ++votes[{key, forwards.front().thread}];
  }
  std::unordered_map<uint64_t, uint64_t> most;
  for (const auto& [what, count] : votes) {
    if (count <= most[what.first]) continue;
    most[what.first] = count;
    thread_of_[what.first] = what.second;
  }
}

/// The innermost operator that begins last, but not after `time_ns`.
const BackwardLinks::Operator* BackwardLinks::last_before(Forwards of_thread, int64_t time_ns) {
  const auto behind = std::partition_point(of_thread.begin(), of_thread.end(), [&](const Operator& forward) {
    return span_of(forward).begin_ns <= time_ns;
  });
  return behind == of_thread.begin() ? nullptr : &*(behind - 1);
}

const BackwardLinks::Operator* BackwardLinks::find(const Backward& backward) {
  const auto known = thread_of_.find(thread_key(process_of(backward.what), backward.forward_thread));
  const int64_t time_ns = span_of(backward.what).begin_ns;
  const Operator* found = nullptr;
  for (Forwards rest = forwards_of(backward); !rest.empty();) {
    const uint32_t thread = rest.front().thread;
    const auto end = std::partition_point(rest.begin(), rest.end(),
                                          [&](const Operator& forward) { return forward.thread == thread; });
    const Forwards of_thread(rest.begin(), end);
    rest = Forwards(end, rest.end());
    if (known != thread_of_.end() && thread != known->second) continue;
    const Operator* const last = last_before(of_thread, time_ns);
    if (last == nullptr) continue;
    if (found == nullptr || span_of(*last).begin_ns > span_of(*found).begin_ns) found = last;
  }
  return found;
}

uint64_t BackwardLinks::link() {
  sort_forwards();
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
