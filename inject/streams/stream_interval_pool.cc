#include "inject/streams/stream_interval_pool.h"

#include "inject/cupti/state/session.h"

namespace xsp::guest {
namespace {

/// Its address marks a place that is being filled with a context.
constinit char being_filled = 0;

}  // namespace

void count_lost_interval() { count_lost_activities(wire::LossReason::kActivity, 1); }

void release_interval(StreamEvents& all, StreamInterval& interval) {
  if (interval.state.exchange(StreamInterval::kFree, std::memory_order_acq_rel) == StreamInterval::kWaiting) {
    all.waiting.fetch_sub(1, std::memory_order_acq_rel);
  }
}

void give_up_context(StreamEvents& all, StreamContext& context) {
  context.failed.store(true, std::memory_order_relaxed);
  for (StreamInterval& interval : context.intervals) {
    if (interval.state.load(std::memory_order_acquire) != StreamInterval::kWaiting) continue;
    count_lost_interval();
    release_interval(all, interval);
  }
}

StreamContext* context_of(StreamEvents& all, void* handle, int device) {
  const unsigned long long id = id_of(all.driver, handle);
  for (StreamContext& context : all.contexts) {
    void* known = nullptr;
    if (context.handle.compare_exchange_strong(known, &being_filled, std::memory_order_acq_rel)) {
      context.device = device;
      context.id = id;
      context.handle.store(handle, std::memory_order_release);
      return &context;
    }
    if (known == handle && context.id == id) return context.failed.load(std::memory_order_relaxed) ? nullptr : &context;
  }
  return nullptr;
}

void* known_handle(const StreamContext& context) {
  void* handle = context.handle.load(std::memory_order_acquire);
  return handle == &being_filled ? nullptr : handle;
}

StreamInterval* take_interval(const EventDriver& driver, StreamContext& context) {
  // Starts elsewhere each time: a search from the first place would pass all open intervals.
  const uint32_t first = context.next.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < kMaxStreamIntervals; ++i) {
    StreamInterval& interval = context.intervals[(first + i) % kMaxStreamIntervals];
    uint32_t expected = StreamInterval::kFree;
    if (!interval.state.compare_exchange_strong(expected, StreamInterval::kOpen, std::memory_order_acq_rel)) continue;
    const bool has_events = (interval.begin != nullptr || driver.create_event(&interval.begin, 0) == kDriverSuccess) &&
                            (interval.end != nullptr || driver.create_event(&interval.end, 0) == kDriverSuccess);
    if (has_events) return &interval;
    interval.state.store(StreamInterval::kFree, std::memory_order_release);
    return nullptr;
  }
  return nullptr;
}

StreamContext& context_at(StreamEvents& all, uint32_t interval) {
  return all.contexts[(interval - 1) / kMaxStreamIntervals % kMaxContexts];
}

StreamInterval& interval_at(StreamEvents& all, uint32_t interval) {
  return context_at(all, interval).intervals[(interval - 1) % kMaxStreamIntervals];
}

}  // namespace xsp::guest
