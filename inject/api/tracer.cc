#include "inject/api/tracer.h"

#include "inject/guard/errno_guard.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

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
  record.flags = shm::kFlagForeign;
  uint32_t expected = handle.id;
  if (span.id.compare_exchange_strong(expected, shm::kClosedSlot, std::memory_order_acq_rel)) publish(thread, record);
}

}  // namespace

uint32_t open_awaited(uint32_t name) { return is_awaited(name, 0) ? begin_opening() : 0; }

uint64_t finish_opening(uint32_t opening, uint64_t handle) {
  if (handle == 0) {
    drop_opening(opening);
  } else {
    const SpanHandle span = unpack_handle(handle);
    set_opening(opening, span.ring, span.id);
  }
  return handle;
}

void finish_elsewhere(Thread& thread, uint64_t handle, uint64_t end, const SpanResult& result) {
  const SpanHandle span = unpack_handle(handle);
  if (span.slot >= shm::kMaxOpenSpans) return;
  if (span.ring == thread.ring_index) {
    finish_out_of_order(thread, span, end, result);
  } else {
    finish_foreign(thread, span, end);
  }
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
