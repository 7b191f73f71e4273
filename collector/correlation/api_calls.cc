#include "collector/correlation/api_calls.h"

#include <algorithm>

#include "collector/peer_limits.h"
#include "collector/trace_fields.h"

namespace xsp {

bool ApiCalls::add(uint32_t thread, const SpanRow& call) {
  auto found = threads_.find(thread);
  if (found == threads_.end()) {
    if (threads_.size() == kMaxApiThreads) return false;
    const uint32_t ring = kApiCallRingBase + 1 + static_cast<uint32_t>(threads_.size());
    found = threads_.emplace(thread, Thread{ring, RingStream(process_, ring), {}}).first;
  }
  found->second.calls.push_back(call);
  has_calls_ = true;
  return true;
}

void ApiCalls::end_batch(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer) {
  if (!has_calls_) return;
  has_calls_ = false;
  for (auto& [id, thread] : threads_) {
    auto& calls = thread.calls;
    if (calls.empty()) continue;
    // CUPTI's records are in no order.
    std::sort(calls.begin(), calls.end(), [](const SpanRow& a, const SpanRow& b) { return a.begin < b.begin; });
    for (SpanRow& call : calls) {
      call.id = ++thread.ids;
      if (call.correlation != 0) join.add_launch(call.correlation, {thread.ring + 1, call.id});
    }
    std::stable_sort(calls.begin(), calls.end(), [](const SpanRow& a, const SpanRow& b) { return a.end < b.end; });
    thread.stream.append(id, static_cast<uint32_t>(calls.size()), calls.data(), calls.size(), now_ns, writer);
    calls.clear();
  }
}

void ApiCalls::flush(TraceWriter& writer) {
  for (auto& [id, thread] : threads_) thread.stream.flush(writer);
}

void ApiCalls::flush_if_due(uint64_t now_ns, TraceWriter& writer) {
  for (auto& [id, thread] : threads_) {
    thread.stream.flush_if_due(now_ns, writer);
    if (thread.calls.empty() && thread.calls.capacity() != 0) thread.calls = {};
  }
}

}  // namespace xsp
