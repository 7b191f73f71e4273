#include "inject/api/tracer.h"

#include "inject/guard/errno_guard.h"
#include "inject/record/hook_timer.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

constexpr auto kKindApi = static_cast<uint8_t>(wire::Kind::kApi);

/// A span on this thread's stack that is not the innermost: those inside it stay open.
void finish_out_of_order(Thread& thread, const SpanHandle& handle, uint64_t end, const SpanResult& result) {
  shm::OpenSpan& span = thread.ring->open[handle.slot];
  if (span.id.load(std::memory_order_relaxed) != handle.id) return;
  shm::Record record{};
  record.begin = span.begin;
  record.end = end;
  record.id = handle.id;
  record.parent = span.parent;
  record.name = span.name;
  record.type = span.type;
  record.input = span.input;
  record.shape = result.shape;
  record.scope = result.scope;
  record.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  record.level = span.level;
  record.kind = span.kind;
  record.flags = flags_of(result);
  record.bytes = result.bytes;
  record.correlation = result.correlation;
  span.id.store(shm::kClosedSlot, std::memory_order_relaxed);
  publish(thread, record);
}

/// A span that another thread started. What is read of it counts only if its id held before and after.
void finish_foreign(Thread& thread, const SpanHandle& handle, uint64_t end) {
  Process* process = awake_process();
  if (process == nullptr || handle.ring >= process->region.header()->rings_used.load(std::memory_order_acquire)) return;
  shm::RingHeader* ring = process->ring(handle.ring);
  shm::OpenSpan& span = ring->open[handle.slot];
  if (span.id.load(std::memory_order_acquire) != handle.id) return;
  shm::Record record{};
  record.begin = span.begin;
  record.end = end;
  record.id = handle.id;
  record.parent = span.parent;
  record.name = span.name;
  record.type = ring->thread.load(std::memory_order_relaxed);
  record.shape = handle.ring;
  record.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  record.level = span.level;
  record.kind = span.kind;
  record.flags = shm::kFlagForeign | (span.level == kLevelModel ? span.flags : 0);
  uint32_t expected = handle.id;
  if (span.id.compare_exchange_strong(expected, shm::kClosedSlot, std::memory_order_acq_rel)) publish(thread, record);
}

/// A span of the program's own, deeper than a model, that lies deeper than --level. One that opens the recording window
/// is needed all the same.
bool is_too_deep(uint8_t level, uint8_t kind, uint32_t opening) {
  if (kind != kKindApi || opening != 0) return false;
  const Process* process = awake_process();
  return process != nullptr && level > process->settings.deepest_level;
}

struct NewSpan {
  uint32_t name;
  uint8_t level;
  uint8_t kind;
  uint32_t type;
  uint32_t input;
};

inline uint64_t open_on(Thread& thread, uint32_t opening, const NewSpan& span) {
  const uint32_t slot = open_span(thread, span.level, span.kind, span.name, span.type, span.input);
  if (slot == kNoSlot) {
    drop_opening(opening);
    return 0;
  }
  const SpanHandle handle{
      .ring = thread.ring_index, .slot = slot, .id = thread.ring->open[slot].id.load(std::memory_order_relaxed)};
  if (__builtin_expect(opening != 0, 0)) set_opening(opening, handle.ring, handle.id);
  return pack_handle(handle);
}

__attribute__((noinline, cold)) uint64_t start_timed_span(Thread& thread, uint32_t opening, const NewSpan& span) {
  const uint64_t begin = begin_hook_time(thread);
  const uint64_t handle = open_on(thread, opening, span);
  end_hook_time(thread, begin, now());
  return handle == 0 ? 0 : handle | uint64_t{kTimedSlot} << 32;
}

/// Of a thread that may record nothing else now.
uint64_t start_sampled_span(uint32_t name, uint8_t kind, uint32_t type, uint32_t input) {
  Thread* thread = model_call_thread();
  if (thread == nullptr) return 0;
  const bool is_timed = is_hook_timed(*thread);
  const uint64_t begin = is_timed ? begin_hook_time(*thread) : 0;
  const uint64_t handle = start_model_span(*thread, begin_model_call(*thread), name, kind, type, input);
  if (!is_timed) return handle;
  end_hook_time(*thread, begin, now());
  return handle == 0 ? 0 : handle | uint64_t{kTimedSlot} << 32;
}

/// Where the handle of the span says that it is more than a span.
void finish_marked_span(Thread& thread, SpanHandle span, uint64_t end, SpanResult result) {
  const bool is_timed = (span.slot & kTimedSlot) != 0;
  const bool is_model_call = (span.slot & kModelCallSlot) != 0;
  span.slot &= ~(kTimedSlot | kModelCallSlot);
  if (span.slot >= shm::kMaxOpenSpans) return;
  if (is_timed) {
    thread.added_hook_ticks = 0;
    finish_span_at(pack_handle({span.ring, span.slot | (is_model_call ? kModelCallSlot : 0), span.id}), end, result);
    end_hook_time(thread, end, now());
    return;
  }
  if (is_model_call && span.ring == thread.ring_index) {
    std::atomic<uint32_t>& id = thread.ring->open[span.slot].id;
    if (id.load(std::memory_order_relaxed) != span.id) return;
    if (!end_model_call(thread, span.slot, &result)) {
      id.store(shm::kClosedSlot, std::memory_order_relaxed);
      drop_closed_slots(thread);
      return;
    }
  }
  finish_span_at(pack_handle(span), end, result);
}

}  // namespace

uint64_t start_model_span(Thread& thread, Recorded recorded, uint32_t name, uint8_t kind, uint32_t type,
                          uint32_t input) {
  const uint32_t slot = open_span(thread, kLevelModel, kind, name, type, input);
  model_call_opened(thread, slot, recorded);
  if (slot == kNoSlot) return 0;
  return pack_handle({.ring = thread.ring_index,
                      .slot = slot | (is_sampling.load(std::memory_order_relaxed) ? kModelCallSlot : 0),
                      .id = thread.ring->open[slot].id.load(std::memory_order_relaxed)});
}

uint64_t start_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input) {
  const uint32_t opening = kind == kKindApi && is_awaited(name, 0) ? begin_opening() : 0;
  const bool is_sampled = level == kLevelModel && is_sampling.load(std::memory_order_relaxed);
  if (__builtin_expect(is_sampled, 0) && opening == 0) return start_sampled_span(name, kind, type, input);
  Thread* thread = recording_thread();
  const bool records = thread != nullptr && (level <= kLevelModel || !is_too_deep(level, kind, opening));
  if (records && is_hook_timed(*thread)) return start_timed_span(*thread, opening, {name, level, kind, type, input});
  if (!records) {
    drop_opening(opening);
    return 0;
  }
  return open_on(*thread, opening, {name, level, kind, type, input});
}

void finish_span(uint64_t handle, const SpanResult& result) {
  if (handle != 0) finish_span_at(handle, now(), result);
}

void finish_span_at(uint64_t handle, uint64_t end, const SpanResult& result) {
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  const SpanHandle span = unpack_handle(handle);
  if (__builtin_expect(span.slot >= shm::kMaxOpenSpans, 0)) {
    return finish_marked_span(*thread, span, end, result);
  }
  if (span.ring != thread->ring_index) {
    finish_foreign(*thread, span, end);
  } else if (span.slot + 1 == thread->depth() &&
             thread->ring->open[span.slot].id.load(std::memory_order_relaxed) == span.id) {
    close_span(*thread, span.slot, end, 0, result);
  } else {
    finish_out_of_order(*thread, span, end, result);
  }
  span_ended(span.ring, span.id);
}

void tag_span(uint64_t handle, const char* key, const char* value) {
  if (handle == 0 || key == nullptr || value == nullptr) return;
  const ErrnoGuard errno_guard;
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  const SpanHandle span = unpack_handle(handle);
  shm::Record record{};
  record.begin = record.end = 0;
  record.id = span.id;
  record.scope = span.ring;
  record.end = intern(key);
  record.parent = intern(value);
  record.record_type = static_cast<uint8_t>(shm::RecordType::kTag);
  if (record.end != 0) publish(*thread, record);
}

}  // namespace xsp::guest
