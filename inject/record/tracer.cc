#include "inject/record/tracer.h"

#include "inject/guard/errno_guard.h"
#include "inject/record/hook_timer.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

constexpr auto kKindApi = static_cast<uint8_t>(wire::Kind::kApi);

/// Ends a span on this thread's stack that is not the innermost: those inside it stay open.
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
  record.flags = static_cast<uint8_t>(flags_of(result) | span.flags);
  record.bytes = result.bytes;
  record.correlation = result.correlation;
  // Published before its slot is freed: if the program is killed in between, the span is in both places, which the
  // collector expects; the other way round it would be lost.
  publish(thread, record);
  keep_order();
  span.id.store(shm::kClosedSlot, std::memory_order_relaxed);
}

/// Ends a span that another thread started. That thread may close it meanwhile: what is read of the slot counts only if
/// the id is the same before and after.
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
  record.flags = shm::kFlagForeign | span.flags;
  uint32_t expected = handle.id;
  if (span.id.compare_exchange_strong(expected, shm::kClosedSlot, std::memory_order_acq_rel)) publish(thread, record);
}

/// Starts a model call, on a thread that may record nothing else now.
uint64_t start_sampled_span(uint32_t name, uint8_t kind, uint32_t type, uint32_t input) {
  Thread* thread = model_call_thread();
  if (thread == nullptr) return 0;
  const bool is_timed = is_hook_timed(*thread);
  const uint64_t begin = is_timed ? begin_hook_time(*thread) : 0;
  const Recorded recorded = begin_model_call(*thread);
  const uint64_t handle = start_model_span(*thread, recorded, name, kind, type, input);
  if (!is_timed) return handle;
  end_hook_time(*thread, begin, now());
  return handle == 0 ? 0 : mark_handle(handle, kTimedSlot);
}

/// Ends a span whose handle carries marks: one that is timed, or is a model call.
void finish_marked_span(Thread& thread, SpanHandle span, uint64_t end, const SpanResult& result) {
  const uint32_t marks = span.slot & (kTimedSlot | kModelCallSlot);
  span.slot &= ~marks;
  if (marks == 0 || span.slot >= shm::kMaxOpenSpans) return;
  if ((marks & kTimedSlot) != 0) {
    thread.added_hook_ticks = 0;
    finish_span_at(mark_handle(pack_handle(span), marks & kModelCallSlot), end, result);
    end_hook_time(thread, end, now());
    return;
  }
  if (span.ring == thread.ring_index) {
    std::atomic<uint32_t>& id = thread.ring->open[span.slot].id;
    if (id.load(std::memory_order_relaxed) != span.id) return;
    // Counted only: it leaves the stack without a record.
    if (!end_model_call(thread, span.slot)) {
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
  const uint64_t handle = open_span_of_handle(thread, name, kLevelModel, kind, type, input);
  model_call_opened(thread, handle == 0 ? kNoSlot : unpack_handle(handle).slot, recorded);
  const bool is_marked = handle != 0 && is_sampling.load(std::memory_order_relaxed);
  return is_marked ? mark_handle(handle, kModelCallSlot) : handle;
}

uint64_t start_timed_span(Thread& thread, uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input) {
  const uint64_t begin = begin_hook_time(thread);
  const uint64_t handle = open_span_of_handle(thread, name, level, kind, type, input);
  end_hook_time(thread, begin, now());
  return handle == 0 ? 0 : mark_handle(handle, kTimedSlot);
}

uint64_t start_watched_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input) {
  const bool is_own = kind == kKindApi;
  const uint32_t opening = is_own && is_awaited(name, 0) ? begin_opening() : 0;
  if (opening == 0 && level == kLevelModel && is_sampling.load(std::memory_order_relaxed)) {
    return start_sampled_span(name, kind, type, input);
  }
  Thread* thread = opening != 0 ? opening_thread() : recording_thread();
  // A span that opens the recording window is recorded whatever its level.
  const bool records = thread != nullptr && !(is_own && is_too_deep(level) && opening == 0);
  if (records && opening == 0 && is_hook_timed(*thread)) {
    return start_timed_span(*thread, name, level, kind, type, input);
  }
  const uint64_t handle = records ? open_span_of_handle(*thread, name, level, kind, type, input) : 0;
  if (opening == 0) return handle;
  if (handle == 0) {
    drop_opening(opening);
  } else {
    set_opening(opening, unpack_handle(handle).ring, unpack_handle(handle).id);
  }
  return handle;
}

void finish_elsewhere(Thread& thread, uint64_t handle, uint64_t end, const SpanResult& result) {
  const SpanHandle span = unpack_handle(handle);
  if (span.slot >= shm::kMaxOpenSpans) return finish_marked_span(thread, span, end, result);
  if (span.ring == thread.ring_index) {
    finish_out_of_order(thread, span, end, result);
  } else {
    finish_foreign(thread, span, end);
  }
}

void set_span_input(Thread& thread, uint64_t handle, uint32_t input) {
  const SpanHandle span = unpack_handle(handle);
  if (span.ring != thread.ring_index || span.slot % kModelCallSlot >= thread.depth()) return;
  shm::OpenSpan& open = thread.ring->open[span.slot % kModelCallSlot];
  if (open.id.load(std::memory_order_relaxed) == span.id) __atomic_store_n(&open.input, input, __ATOMIC_RELAXED);
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
  // No key: the arena of strings is full, which is counted there.
  if (record.end != 0) publish(*thread, record);
}

}  // namespace xsp::guest
