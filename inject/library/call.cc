#include "inject/library/call.h"

#include <sys/mman.h>

#include <type_traits>

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

/// Copies 1 to kArgumentBytes bytes without a call: in two or three pieces, which overlap.
inline void copy_values(uint8_t* to, const uint8_t* from, uint32_t length) {
  const auto pieces = [=]<size_t kBytes>(std::integral_constant<size_t, kBytes>) {
    memcpy(to, from, kBytes);
    memcpy(to + length - kBytes, from + length - kBytes, kBytes);
  };
  static_assert(shm::kArgumentBytes == 48);
  if (length > 32) memcpy(to + 16, from + 16, 16);
  if (length >= 16) return pieces(std::integral_constant<size_t, 16>());
  if (length >= 8) return pieces(std::integral_constant<size_t, 8>());
  if (length >= 4) return pieces(std::integral_constant<size_t, 4>());
  if (length >= 2) return pieces(std::integral_constant<size_t, 2>());
  *to = *from;
}

/// Writes up to kArgumentBytes of a call's values. The ring must have room.
inline void write_part(Thread& thread, uint32_t span, uint32_t layout, uint32_t part, const uint8_t* values,
                       uint32_t length) {
  const Place place = reserve(thread);
  auto* record = reinterpret_cast<shm::ArgumentRecord*>(place.record);
  record->span = span;
  copy_values(record->values, values, length);
  constexpr auto kType = static_cast<uint32_t>(shm::RecordType::kArguments);
  static_assert(offsetof(shm::ArgumentRecord, length) == offsetof(shm::ArgumentRecord, record_type) + 2 &&
                offsetof(shm::ArgumentRecord, layout) == offsetof(shm::Record, correlation));
  using Word [[gnu::may_alias]] = uint32_t;
  *reinterpret_cast<Word*>(&record->record_type) = length << 16 | part << 8 | kType;
  commit_with(place, layout);
}

/// Writes the values before the span's record. If there is no room for all of them and the span, none is written; the
/// span's own loss is then counted.
void publish_values(Thread& thread, uint32_t span, uint32_t layout, const uint8_t* values, uint32_t length) {
  const uint32_t parts = (length + shm::kArgumentBytes - 1) / shm::kArgumentBytes;
  if (!has_room(thread, parts + 1) && !find_room(thread, parts + 1)) return;
  for (uint32_t part = 0; part < parts; ++part) {
    const uint32_t rest = length - part * static_cast<uint32_t>(shm::kArgumentBytes);
    const uint32_t used = rest < shm::kArgumentBytes ? rest : static_cast<uint32_t>(shm::kArgumentBytes);
    write_part(thread, span, layout, part, values + part * shm::kArgumentBytes, used);
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

/// Whether the innermost open span is a call that may have been left by a longjmp: that has to be looked into.
inline bool may_be_abandoned(const Thread& thread, const shm::OpenSpan& innermost, uint32_t depth, const void* frame) {
  const uint8_t kind = innermost.kind;  // 0, where no span is open
  return (kind == kKindLibraryCall || is_api_call(kind)) && thread.marks[depth - 1].stack_address <= frame;
}

static_assert(offsetof(xsp_recorded_function, library) == offsetof(xsp_recorded_function, name) + 4 &&
              offsetof(xsp_recorded_function, kind) == offsetof(xsp_recorded_function, level) + 1);

/// The path of nearly all calls, as inject/api/direct_span.h has it for spans of the C API: it calls no function, so
/// that no register is saved. False where it has done nothing, and xsp_call_begin() and xsp_call_end() go the long way.
inline bool begin_directly(xsp_call* call, uint32_t function, void* real, const void* frame) {
  call->thread = nullptr;  // first: the frame may be left at any moment
  Thread* thread = this_thread;
  if (!is_direct(switch_word()) || __builtin_expect(thread == nullptr, 0)) return false;
  shm::RingHeader* ring = thread->recording_ring;
  xsp_recorded_function& recorded = *in_register(&xsp_recorded_functions[function]);
  const uint8_t wanted = xsp_library_state;
  if (__builtin_expect(ring == nullptr || thread->hooks_until_timed <= 1 || wanted < recorded.threshold ||
                           wanted % XSP_ALL_CALLS < recorded.level,
                       0)) {
    return false;
  }
  if (recorded.kind == kKindRuntimeCall && api_calls_as_records.load(std::memory_order_relaxed)) return false;
  // Name and library, as the span has them as name and type; not known, before the first call has made them so.
  const uint64_t names = __atomic_load_n(word_at(&recorded.name), __ATOMIC_RELAXED);
  const uint32_t depth = ring->depth.load(std::memory_order_relaxed);
  shm::OpenSpan* slot = slot_above(ring, depth);
  const uint32_t parent = (slot - 1)->id.load(std::memory_order_relaxed);
  if (__builtin_expect(static_cast<uint32_t>(names) == 0 || names >> 32 == 0 || depth == shm::kMaxOpenSpans ||
                           parent == shm::kClosedSlot || ring->next_id.load(std::memory_order_relaxed) >= kLastId ||
                           may_be_abandoned(*thread, *(slot - 1), depth, frame),
                       0)) {
    return false;
  }
  --thread->hooks_until_timed;
  call->function = function;
  call->slot = depth;
  call->real = real;
  Thread::Mark& mark = *in_register(&thread->marks[depth]);
  const uint32_t id = take_next(ring->next_id) + 1;
  using LevelAndKind [[gnu::may_alias]] = const uint16_t;
  const uint32_t what = uint32_t{*reinterpret_cast<LevelAndKind*>(&recorded.level)} << 8 | what_of(0, 0);
  fill_slot<read_tsc>(ring, depth, *slot, names, parent, what, id);
  mark.stack_address = call;
  mark.correlation = 0;
  call->thread = thread;
  return true;
}

inline bool end_directly(xsp_call* call, int failed, const void* values, uint32_t length) {
  auto* thread = static_cast<Thread*>(call->thread);
  shm::RingHeader* ring = thread != nullptr ? thread->ring : nullptr;
  if (__builtin_expect(ring == nullptr || length > shm::kArgumentBytes, 0)) return false;
  const uint32_t slot = call->slot;
  const Thread::Mark& mark = *in_register(&thread->marks[slot]);
  // A slot with kTimedSlot, or another call's, is not the innermost one or has another mark.
  if (__builtin_expect(slot + 1 != ring->depth.load(std::memory_order_relaxed) || mark.stack_address != call, 0)) {
    return false;
  }
  shm::OpenSpan& span = *in_register(&ring->open[slot]);
  const uint32_t layout = __atomic_load_n(&xsp_recorded_functions[call->function].layout, __ATOMIC_RELAXED);
  if (__builtin_expect(!has_room(*thread, 2) || (length != 0 && layout == 0), 0)) return false;
  call->thread = nullptr;
  if (length != 0) {
    const uint32_t id = span.id.load(std::memory_order_relaxed);
    write_part(*thread, id, layout, 0, static_cast<const uint8_t*>(values), length);
  }
  SpanResult result;
  result.failed = failed != 0;
  result.correlation = mark.correlation;
  write_closed(*thread, ring, span, call->end, 0, result);
  // A signal handler may have left a span open.
  if (__builtin_expect(slot + 1 != ring->depth.load(std::memory_order_relaxed), 0)) {
    abandon_spans(*thread, slot);
    return true;
  }
  span.id.store(0, std::memory_order_relaxed);
  keep_order();
  ring->depth.store(slot, std::memory_order_relaxed);
  return true;
}

/// What xsp_call_begin() and xsp_call_end() do where the short way cannot be taken.
__attribute__((noinline)) void begin_anyhow(xsp_call* call, uint32_t function, void* real, const void* frame) {
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

__attribute__((noinline)) void end_anyhow(xsp_call* call, int failed, const void* values, uint32_t length) {
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

}  // namespace

}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

void xsp_call_begin(xsp_call* call, uint32_t function, void* real, const void* frame) {
  if (__builtin_expect(!begin_directly(call, function, real, frame), 0)) begin_anyhow(call, function, real, frame);
}

int xsp_call_returned(xsp_call* call) {
  call->end = now();
  return call->thread != nullptr;
}

void xsp_call_end(xsp_call* call, int failed, const void* values, uint32_t length) {
  if (__builtin_expect(!end_directly(call, failed, values, length), 0)) end_anyhow(call, failed, values, length);
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
