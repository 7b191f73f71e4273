#include "collector/correlation/api_calls.h"

#include <algorithm>

#include "collector/messages/peer_limits.h"
#include "collector/writing/trace_fields.h"

namespace xsp {
namespace {

/// How long a driver call waits for the runtime call that it may belong to. Records of one thread usually come in one
/// buffer.
constexpr uint64_t kDriverCallWaitNs = 2'000'000'000;
/// Room for this many calls is kept from one batch of a thread to the next.
constexpr size_t kKeptCalls = 128;

}  // namespace

void ApiCalls::add(uint32_t thread, const SpanRow& call, uint64_t now_ns) {
  const bool may_be_part = call.kind == static_cast<uint8_t>(wire::Kind::kDriverCall) && call.correlation != 0;
  if (may_be_part) {
    driver_calls_.push_back({thread, call, now_ns});
  } else {
    keep(thread, call);
  }
}

void ApiCalls::keep(uint32_t thread, const SpanRow& call) {
  auto found = threads_.find(thread);
  if (found == threads_.end()) {
    // A hostile guest could name any number of threads.
    if (threads_.size() == kMaxApiThreads) {
      losses_.add(LossReason::kNoRing, 1, "calls of the CUDA API of too many threads");
      return;
    }
    const uint32_t ring = kApiCallRingBase + 1 + static_cast<uint32_t>(threads_.size());
    found = threads_.emplace(thread, Thread{ring, RingStream(process_, ring), {}}).first;
  }
  found->second.calls.push_back(call);
  has_calls_ = true;
  ++count_;
}

void ApiCalls::release_first(ExecutionJoin& join) {
  const DriverCall& first = driver_calls_.front();
  if (!join.has_launch(first.call.correlation)) keep(first.thread, first.call);
  driver_calls_.pop_front();
}

void ApiCalls::end_batch(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer) {
  while (driver_calls_.size() > kMaxWaitingCalls) release_first(join);
  if (!has_calls_) return;
  has_calls_ = false;
  for (auto& [id, thread] : threads_) {
    auto& calls = thread.calls;
    if (calls.empty()) continue;
    // CUPTI's records come in no particular order. Ids are assigned by begin; spans then go to the ring by end, as a
    // guest's do.
    std::sort(calls.begin(), calls.end(), [](const SpanRow& a, const SpanRow& b) { return a.begin < b.begin; });
    for (SpanRow& call : calls) {
      call.id = ++thread.ids;
      if (call.correlation != 0) join.add_launch(call.correlation, {thread.ring + 1, call.id});
    }
    std::stable_sort(calls.begin(), calls.end(), [](const SpanRow& a, const SpanRow& b) { return a.end < b.end; });
    account_.append(thread.stream, id, static_cast<uint32_t>(calls.size()), calls, now_ns);
    calls.clear();
    if (calls.capacity() > kKeptCalls) calls = std::vector<SpanRow>();
  }
  size_t held = 0;
  for (const auto& [id, thread] : threads_) held += thread.stream.held_bytes();
  if (held <= kMaxHeldBytes) return;
  for (auto& [id, thread] : threads_) thread.stream.release(writer);
}

void ApiCalls::flush_if_due(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer) {
  while (!driver_calls_.empty() && driver_calls_.front().since_ns + kDriverCallWaitNs <= now_ns) release_first(join);
  end_batch(join, now_ns, writer);
  for (auto& [id, thread] : threads_) {
    thread.stream.flush_if_due(now_ns, writer);
    if (thread.calls.capacity() != 0) thread.calls = std::vector<SpanRow>();
  }
}

void ApiCalls::flush(TraceWriter& writer) {
  for (auto& [id, thread] : threads_) thread.stream.flush(writer);
}

void ApiCalls::finish(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer) {
  while (!driver_calls_.empty()) release_first(join);
  end_batch(join, now_ns, writer);
  flush(writer);
}

}  // namespace xsp
