#include "inject/library/call.h"

#include <sys/mman.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/interpose/function_table.h"
#include "inject/library/abandoned_calls.h"
#include "inject/objects/loaded_library.h"
#include "inject/record/hook_timer.h"
#include "inject/record/span.h"
#include "inject/record/upward_calls.h"

namespace xsp::guest {
namespace {

/// String ids stay valid after a fork (the child copies the strings), so the kept id serves the process and its
/// children.
__attribute__((noinline, cold)) uint32_t intern_once(uint32_t* id, const char* text) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  const uint32_t fresh = intern(text);
  __atomic_store_n(id, fresh, __ATOMIC_RELAXED);
  return fresh;
}

/// Some layouts have several thousand characters: too many for a stack of the program's. This runs after the first call
/// of each function only, which makes it the place to notice that CUDA is up.
__attribute__((noinline, cold)) uint32_t intern_layout(uint32_t function, bool failed) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  if (xsp_recorded_functions[function].kind == kKindRuntimeCall) upward_calls.runtime_call_returned(failed);
  void* memory = mmap(nullptr, xsp_longest_layout, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  auto* text = static_cast<char*>(memory);
  const uint32_t id = intern({text, xsp_function_layout(function, text)});
  munmap(memory, xsp_longest_layout);
  __atomic_store_n(&xsp_recorded_functions[function].layout, id, __ATOMIC_RELAXED);
  return id;
}

/// If a thread of the parent held it at a fork, it stays held in the child: whoever finds it held does without the
/// cache.
constinit std::atomic<bool> sibling_cache_busy{false};

Thread* thread_of(const xsp_call* call) {
  auto* thread = static_cast<Thread*>(call->thread);
  // A fork inside the call wipes the child's Thread.
  return thread != nullptr && thread->ring != nullptr ? thread : nullptr;
}

/// Writes the values before the span's record. If there is no room for all of them and the span, none is written; the
/// span's own loss is then counted.
void publish_values(Thread& thread, uint32_t span, uint32_t layout, const uint8_t* values, uint32_t length) {
  const uint32_t parts = (length + shm::kArgumentBytes - 1) / shm::kArgumentBytes;
  if (!has_room(thread, parts + 1) && !find_room(thread, parts + 1)) return;
  for (uint32_t part = 0; part < parts; ++part) {
    const Place place = reserve(thread);
    auto* record = reinterpret_cast<shm::ArgumentRecord*>(place.record);
    const uint32_t rest = length - part * static_cast<uint32_t>(shm::kArgumentBytes);
    const uint32_t used = rest < shm::kArgumentBytes ? rest : static_cast<uint32_t>(shm::kArgumentBytes);
    record->span = span;
    record->layout = layout;
    memcpy(record->values, values + part * shm::kArgumentBytes, used);
    record->record_type = static_cast<uint8_t>(shm::RecordType::kArguments);
    record->part = static_cast<uint8_t>(part);
    record->length = static_cast<uint8_t>(used);
    record->flags = 0;
    commit(place);
  }
}

/// Bit of a call's slot: the call's end is to be timed, too.
constexpr uint32_t kTimedSlot = 0x8000'0000;

__attribute__((noinline, cold)) void begin_timed_call(Thread& thread, xsp_call* call, uint32_t function, void* real,
                                                      const void* frame) {
  const uint64_t begin = begin_hook_time(thread);
  // xsp_call_begin() counts this hook again.
  ++thread.hooks_until_timed;
  xsp_call_begin(call, function, real, frame);
  end_hook_time(thread, begin, now());
  if (call->thread != nullptr) call->slot |= kTimedSlot;
}

/// Times the hook from when the real function returned: reading the call's values comes after that.
__attribute__((noinline, cold)) void end_timed_call(Thread& thread, xsp_call* call, int failed, const void* values,
                                                    uint32_t length) {
  call->slot &= ~kTimedSlot;
  call->thread = &thread;
  thread.added_hook_ticks = 0;
  xsp_call_end(call, failed, values, length);
  end_hook_time(thread, call->end, now());
}

}  // namespace

}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

void xsp_call_begin(xsp_call* call, uint32_t function, void* real, const void* frame) {
  call->thread = nullptr;
  Thread* thread = recording_thread();
  xsp_recorded_function& recorded = xsp_recorded_functions[function];
  const uint8_t wanted = xsp_library_state;
  if (thread == nullptr || wanted < recorded.threshold || wanted % XSP_ALL_CALLS < recorded.level) return;
  if (recorded.kind == kKindRuntimeCall && api_calls_as_records.load(std::memory_order_relaxed)) return;
  if (is_hook_timed(*thread)) return begin_timed_call(*thread, call, function, real, frame);
  call->function = function;
  call->real = real;
  // Before the span opens: else calls that a longjmp left would be its parents.
  if (thread->depth() != 0) close_abandoned_calls(*thread, frame);
  uint32_t name = __atomic_load_n(&recorded.name, __ATOMIC_RELAXED);
  if (__builtin_expect(name == 0, 0)) name = intern_once(&recorded.name, xsp_function_name(function));
  uint32_t library = __atomic_load_n(&recorded.library, __ATOMIC_RELAXED);
  if (__builtin_expect(library == 0, 0)) {
    library = intern_once(&recorded.library, xsp_function_library(function)->name);
  }
  call->slot = open_span(*thread, recorded.level, recorded.kind, name, library, 0);
  if (call->slot == kNoSlot) return;
  thread->marks[call->slot].stack_address = call;
  thread->marks[call->slot].correlation = 0;
  call->thread = thread;
}

int xsp_call_returned(xsp_call* call) {
  call->end = now();
  return call->thread != nullptr;
}

void xsp_call_end(xsp_call* call, int failed, const void* values, uint32_t length) {
  Thread* thread = thread_of(call);
  call->thread = nullptr;
  if (thread == nullptr) return;
  if (__builtin_expect(call->slot >= thread->depth(), 0)) {
    if ((call->slot & kTimedSlot) != 0) end_timed_call(*thread, call, failed, values, length);
    return;
  }
  // The slot is another call's by now: this call ran in a coroutine, on another stack, and was taken for abandoned.
  if (thread->marks[call->slot].stack_address != call) return;
  if (length != 0) {
    uint32_t layout = __atomic_load_n(&xsp_recorded_functions[call->function].layout, __ATOMIC_RELAXED);
    if (__builtin_expect(layout == 0, 0)) layout = intern_layout(call->function, failed != 0);
    const uint32_t span = thread->ring->open[call->slot].id.load(std::memory_order_relaxed);
    if (layout != 0) publish_values(*thread, span, layout, static_cast<const uint8_t*>(values), length);
  }
  SpanResult result;
  result.failed = failed != 0;
  result.correlation = thread->marks[call->slot].correlation;
  close_span(*thread, call->slot, call->end, 0, result);
}

void xsp_call_unwound(xsp_call* call) {
  if (call->thread == nullptr) return;
  call->end = now();
  xsp_call_end(call, 1, nullptr, 0);
}

uint32_t xsp_text(const char* text, uint64_t length) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  return intern({text, length});
}

void* xsp_sibling_function(const xsp_call* call, const char* name, xsp_sibling* cache) {
  if (__atomic_load_n(&cache->beside, __ATOMIC_ACQUIRE) == call->real) {
    void* found = __atomic_load_n(&cache->found, __ATOMIC_ACQUIRE);
    // Looked at twice: another thread may have changed the pair between the two loads.
    if (__atomic_load_n(&cache->beside, __ATOMIC_ACQUIRE) == call->real) return found;
  }
  const ErrnoGuard errno_guard;
  void* found = symbol_beside(call->real, name);
  if (sibling_cache_busy.exchange(true, std::memory_order_acquire)) return found;
  // Null while the pair is changed: no reader takes a function of one library for another's.
  __atomic_store_n(&cache->beside, nullptr, __ATOMIC_RELEASE);
  __atomic_store_n(&cache->found, found, __ATOMIC_RELEASE);
  __atomic_store_n(&cache->beside, call->real, __ATOMIC_RELEASE);
  sibling_cache_busy.store(false, std::memory_order_release);
  return found;
}

}  // extern "C"
