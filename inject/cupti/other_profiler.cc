#include "inject/cupti/other_profiler.h"

#include <atomic>

#include "inject/cupti/activity_abi.h"
#include "inject/cupti/activity_buffers.h"
#include "inject/cupti/activity_thread.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fixed_text.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/spin_lock.h"
#include "inject/interpose/elf_object.h"
#include "inject/library/call.h"
#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

using RegisterCallbacks = cupti::Result(void* requested, void* completed);
using RegisterCallbacksV2 = cupti::Result(void* subscriber, void* requested, void* completed);

constexpr size_t kMaxCopies = 4;
constexpr uint32_t kMaxKinds = 256;

/// It may go on for a moment: Kineto flushes first and sets attributes then, which must not fall into a session of
/// ours.
constexpr uint64_t kQuietNs = 100'000'000;
/// Kineto flushes only where CUPTI has asked it for a buffer.
constexpr uint64_t kLongestUnflushedNs = 2'000'000'000;

/// What another profiler does with one loaded file of CUPTI.
struct Copy {
  std::atomic<uintptr_t> low;  // of the file in memory; 0: free
  std::atomic<uint64_t> kinds[kMaxKinds / 64];
  std::atomic<bool> is_unflushed;  // a kind was disabled since it flushed
  // What it registered last, to be registered again where we have taken over in between.
  std::atomic<void*> registered_by;
  std::atomic<void*> subscriber;  // of cuptiActivityRegisterCallbacks_v2
  std::atomic<void*> requested;
  std::atomic<void*> completed;
  bool is_v2;
};

/// Nothing here waits for a lock that is held across a call of CUPTI.
struct OtherProfiler {
  Copy copies[kMaxCopies];
  std::atomic<bool> is_subscribing;
  std::atomic<bool> is_subscribed;
  std::atomic<bool> has_buffers;
  std::atomic<bool> to_settle;
  std::atomic<uint64_t> called_at_ns;  // it was seen last
  SpinLock name_lock;
  FixedText<128> name;
};

constinit ForkWiped<OtherProfiler> other_page;

template <size_t kIndex>
void on_copy_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid_bytes) {
  if (is_own_buffer(buffer)) {
    on_buffer_completed(context, stream, buffer, bytes, valid_bytes);
    return;
  }
  OtherProfiler* other = other_page.get();
  if (other == nullptr) return;
  void* completed = other->copies[kIndex].completed.load(std::memory_order_acquire);
  if (completed == nullptr) return;
  reinterpret_cast<cupti::BufferCompleted*>(completed)(context, stream, buffer, bytes, valid_bytes);
}

constexpr cupti::BufferCompleted* kCompletions[kMaxCopies] = {on_copy_completed<0>, on_copy_completed<1>,
                                                              on_copy_completed<2>, on_copy_completed<3>};

uintptr_t low_of(const void* address) {
  ElfObject object;
  return find_object(reinterpret_cast<uintptr_t>(address), &object) ? object.low : 0;
}

/// Null when there are more files of CUPTI than are told apart.
Copy* copy_at(OtherProfiler& other, uintptr_t low) {
  for (Copy& copy : other.copies) {
    uintptr_t known = copy.low.load(std::memory_order_acquire);
    if (known == 0 && copy.low.compare_exchange_strong(known, low, std::memory_order_acq_rel)) return &copy;
    if (known == low) return &copy;
  }
  return nullptr;
}

/// A call of another one's; copy null: CUPTI's own of itself, or one that cannot be kept.
struct Call {
  OtherProfiler* other;
  Copy* copy;
};

Call call_of(const xsp_around& around) {
  OtherProfiler* other = other_page.make();
  const uintptr_t low = low_of(around.real);
  if (other == nullptr || low == 0 || low == low_of(around.caller)) return {other, nullptr};
  return {other, copy_at(*other, low)};
}

std::string_view set_name(OtherProfiler& other, const xsp_around& around) {
  ElfObject object;
  const bool known = find_object(reinterpret_cast<uintptr_t>(around.caller), &object);
  const char* file = known ? object.file_name() : "";
  const LockGuard lock(other.name_lock);
  other.name.clear();
  other.name.put(file[0] == '\0' ? "the program" : file);
  return other.name.view();
}

bool has_kinds(const OtherProfiler& other) {
  for (const Copy& copy : other.copies) {
    for (const auto& word : copy.kinds) {
      if (word.load(std::memory_order_acquire) != 0) return true;
    }
  }
  return false;
}

void set_kind(Copy& copy, int kind, bool enabled) {
  if (kind < 0 || static_cast<uint32_t>(kind) >= kMaxKinds) return;
  std::atomic<uint64_t>& word = copy.kinds[kind / 64];
  const uint64_t bit = uint64_t{1} << (kind % 64);
  if (enabled) {
    word.fetch_or(bit, std::memory_order_acq_rel);
  } else if ((word.fetch_and(~bit, std::memory_order_acq_rel) & bit) != 0) {
    copy.is_unflushed.store(true, std::memory_order_release);
  }
}

void ask_to_settle(OtherProfiler& other) {
  other.called_at_ns.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_release);
  other.to_settle.store(true, std::memory_order_release);
  wake_activity_thread();
}

void release_buffers_if_done(OtherProfiler& other, bool is_flush_due) {
  if (has_kinds(other)) return;
  for (const Copy& copy : other.copies) {
    if (is_flush_due && copy.is_unflushed.load(std::memory_order_acquire)) return;
  }
  if (other.has_buffers.exchange(false, std::memory_order_acq_rel)) ask_to_settle(other);
}

/// Its callbacks are in place again where ours have been since it registered.
void register_again(const Copy& copy) {
  void* by = copy.registered_by.load(std::memory_order_acquire);
  void* requested = copy.requested.load(std::memory_order_acquire);
  void* completed = copy.completed.load(std::memory_order_acquire);
  if (by == nullptr) return;
  if (copy.is_v2) {
    reinterpret_cast<RegisterCallbacksV2*>(by)(copy.subscriber.load(std::memory_order_acquire), requested, completed);
    return;
  }
  const OtherProfiler* other = other_page.get();
  reinterpret_cast<RegisterCallbacks*>(by)(requested, reinterpret_cast<void*>(kCompletions[&copy - other->copies]));
}

/// Whether it had them before.
bool take_buffers(OtherProfiler& other, const xsp_around& around) {
  other.called_at_ns.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_release);
  const std::string_view name = set_name(other, around);
  const bool had = other.has_buffers.exchange(true, std::memory_order_acq_rel);
  pause_session(wire::GapReason::kOtherProfiler, name);
  return had;
}

void before_register(const xsp_around& around, void* subscriber, void* requested, void** completed, bool is_v2) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  take_buffers(*call.other, around);
  Copy& copy = *call.copy;
  copy.is_v2 = is_v2;
  copy.subscriber.store(subscriber, std::memory_order_release);
  copy.requested.store(requested, std::memory_order_release);
  copy.completed.store(*completed, std::memory_order_release);
  copy.registered_by.store(*completed == nullptr ? nullptr : around.real, std::memory_order_release);
  if (!is_v2 && *completed != nullptr) {
    *completed = reinterpret_cast<void*>(kCompletions[&copy - call.other->copies]);
  }
}

void after_register(const xsp_around& around, cupti::Result result) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy != nullptr && result != cupti::kSuccess) release_buffers_if_done(*call.other, true);
}

/// What a profiler sets before it begins: not to be changed while records are made.
void before_setting(const xsp_around& around) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy != nullptr) take_buffers(*call.other, around);
}

void after_setting(const xsp_around& around) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy != nullptr) release_buffers_if_done(*call.other, true);
}

void before_enable(const xsp_around& around) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  if (!take_buffers(*call.other, around)) register_again(*call.copy);
}

void after_enable(const xsp_around& around, cupti::Result result, int kind) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  if (result == cupti::kSuccess) {
    set_kind(*call.copy, kind, true);
  } else {
    release_buffers_if_done(*call.other, true);
  }
}

void after_disable(const xsp_around& around, cupti::Result result, int kind) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr || result != cupti::kSuccess) return;
  set_kind(*call.copy, kind, false);
  if (other_profiler_has_buffers() && !has_kinds(*call.other)) ask_to_settle(*call.other);
}

void after_flush(const xsp_around& around) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  call.copy->is_unflushed.store(false, std::memory_order_release);
  release_buffers_if_done(*call.other, true);
}

void before_subscribe(const xsp_around& around) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  call.other->is_subscribing.store(true, std::memory_order_release);
  give_up_subscriber(set_name(*call.other, around));
}

void after_subscribe(const xsp_around& around, cupti::Result result) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  if (result == cupti::kSuccess) call.other->is_subscribed.store(true, std::memory_order_release);
  call.other->is_subscribing.store(false, std::memory_order_release);
  if (!other_profiler_has_subscriber()) ask_to_settle(*call.other);
}

void after_unsubscribe(const xsp_around& around, cupti::Result result) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr || result != cupti::kSuccess) return;
  call.other->is_subscribed.store(false, std::memory_order_release);
  release_buffers_if_done(*call.other, false);
  ask_to_settle(*call.other);
}

void before_finalize(const xsp_around& around) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy != nullptr) take_buffers(*call.other, around);
}

void after_finalize(const xsp_around& around, cupti::Result result) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  if (result == cupti::kSuccess) {
    for (auto& word : call.copy->kinds) word.store(0, std::memory_order_release);
    call.copy->is_unflushed.store(false, std::memory_order_release);
    call.copy->registered_by.store(nullptr, std::memory_order_release);
    call.other->is_subscribed.store(false, std::memory_order_release);
  }
  release_buffers_if_done(*call.other, false);
  ask_to_settle(*call.other);
}

bool buffers_are_let_go() { return !other_profiler_has_buffers(); }
bool subscriber_is_let_go() { return !other_profiler_has_subscriber(); }

}  // namespace

bool other_profiler_has_subscriber() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && (other->is_subscribing.load(std::memory_order_acquire) ||
                              other->is_subscribed.load(std::memory_order_acquire));
}

bool other_profiler_has_buffers() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && other->has_buffers.load(std::memory_order_acquire);
}

std::string_view other_profiler_name() {
  const OtherProfiler* other = other_page.get();
  return other == nullptr ? std::string_view() : other->name.view();
}

uint64_t settle_with_other_profiler(const Session& session) {
  OtherProfiler* other = other_page.get();
  if (other == nullptr || !other->to_settle.load(std::memory_order_acquire)) return UINT64_MAX;
  const uint64_t called_at = other->called_at_ns.load(std::memory_order_acquire);
  const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
  const uint64_t quiet = time > called_at ? time - called_at : 0;
  const bool waits_for_flush = other_profiler_has_buffers() && !has_kinds(*other);
  const uint64_t enough = waits_for_flush ? kLongestUnflushedNs : kQuietNs;
  if (quiet < enough) return enough - quiet;
  if (!other->to_settle.exchange(false, std::memory_order_acq_rel)) return UINT64_MAX;
  if (waits_for_flush) release_buffers_if_done(*other, false);
  if (session.mode.load(std::memory_order_acquire) == SessionMode::kNone) return UINT64_MAX;
  resume_session(wire::GapReason::kOtherProfiler, buffers_are_let_go);
  regain_subscriber(subscriber_is_let_go);
  const uint64_t again_ns = resume_again_in();
  if (again_ns == UINT64_MAX) return again_ns;
  other->called_at_ns.store(time + again_ns - kQuietNs, std::memory_order_release);
  other->to_settle.store(true, std::memory_order_release);
  return again_ns;
}

void pass_on_buffer(const Session& session, void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                    size_t valid_bytes) {
  OtherProfiler* other = other_page.get();
  if (other == nullptr) return;
  const uintptr_t low = low_of(reinterpret_cast<const void*>(session.cupti.activity_register_callbacks));
  for (const Copy& copy : other->copies) {
    if (copy.low.load(std::memory_order_acquire) != low || copy.is_v2) continue;
    void* completed = copy.completed.load(std::memory_order_acquire);
    if (completed == nullptr) return;
    reinterpret_cast<cupti::BufferCompleted*>(completed)(context, stream, buffer, bytes, valid_bytes);
    return;
  }
}

}  // namespace xsp::guest

using namespace xsp::guest;

/// The hooks of the wrappers (inject/library/generate.py, class `around`).
#pragma GCC visibility push(hidden)
extern "C" {

void xsp_before_cuptiSubscribe(const xsp_around* around, void**, void**, void**) { before_subscribe(*around); }
void xsp_after_cuptiSubscribe(const xsp_around* around, int result, void*, void*, void*) {
  after_subscribe(*around, result);
}
void xsp_before_cuptiSubscribe_v2(const xsp_around* around, void**, void**, void**, void**) {
  before_subscribe(*around);
}
void xsp_after_cuptiSubscribe_v2(const xsp_around* around, int result, void*, void*, void*, void*) {
  after_subscribe(*around, result);
}

void xsp_before_cuptiUnsubscribe(const xsp_around*, void**) {}
void xsp_after_cuptiUnsubscribe(const xsp_around* around, int result, void*) { after_unsubscribe(*around, result); }

void xsp_before_cuptiActivityRegisterCallbacks(const xsp_around* around, void** requested, void** completed) {
  before_register(*around, nullptr, *requested, completed, false);
}
void xsp_after_cuptiActivityRegisterCallbacks(const xsp_around* around, int result, void*, void*) {
  after_register(*around, result);
}
void xsp_before_cuptiActivityRegisterCallbacks_v2(const xsp_around* around, void** subscriber, void** requested,
                                                  void** completed) {
  before_register(*around, *subscriber, *requested, completed, true);
}
void xsp_after_cuptiActivityRegisterCallbacks_v2(const xsp_around* around, int result, void*, void*, void*) {
  after_register(*around, result);
}

void xsp_before_cuptiActivityEnable(const xsp_around* around, int32_t*) { before_enable(*around); }
void xsp_after_cuptiActivityEnable(const xsp_around* around, int result, int32_t kind) {
  after_enable(*around, result, kind);
}
void xsp_before_cuptiActivityEnableAndDump(const xsp_around* around, int32_t*) { before_enable(*around); }
void xsp_after_cuptiActivityEnableAndDump(const xsp_around* around, int result, int32_t kind) {
  after_enable(*around, result, kind);
}
void xsp_before_cuptiActivityEnableContext(const xsp_around* around, void**, int32_t*) { before_enable(*around); }
void xsp_after_cuptiActivityEnableContext(const xsp_around* around, int result, void*, int32_t kind) {
  after_enable(*around, result, kind);
}
void xsp_before_cuptiActivityEnable_v2(const xsp_around* around, void**, int32_t*, void**) { before_enable(*around); }
void xsp_after_cuptiActivityEnable_v2(const xsp_around* around, int result, void*, int32_t kind, void*) {
  after_enable(*around, result, kind);
}
void xsp_before_cuptiActivityEnableAndDump_v2(const xsp_around* around, void**, int32_t*, void**) {
  before_enable(*around);
}
void xsp_after_cuptiActivityEnableAndDump_v2(const xsp_around* around, int result, void*, int32_t kind, void*) {
  after_enable(*around, result, kind);
}

void xsp_before_cuptiActivityDisable(const xsp_around*, int32_t*) {}
void xsp_after_cuptiActivityDisable(const xsp_around* around, int result, int32_t kind) {
  after_disable(*around, result, kind);
}
void xsp_before_cuptiActivityDisableContext(const xsp_around*, void**, int32_t*) {}
void xsp_after_cuptiActivityDisableContext(const xsp_around* around, int result, void*, int32_t kind) {
  after_disable(*around, result, kind);
}
void xsp_before_cuptiActivityDisable_v2(const xsp_around*, void**, int32_t*, void**) {}
void xsp_after_cuptiActivityDisable_v2(const xsp_around* around, int result, void*, int32_t kind, void*) {
  after_disable(*around, result, kind);
}

void xsp_before_cuptiActivityFlushAll(const xsp_around*, uint32_t*) {}
void xsp_after_cuptiActivityFlushAll(const xsp_around* around, int, uint32_t) { after_flush(*around); }

void xsp_before_cuptiActivitySetAttribute(const xsp_around* around, int32_t* attribute, void**, void**) {
  if (*attribute == cupti::kPerThreadBuffers) before_setting(*around);
}
void xsp_after_cuptiActivitySetAttribute(const xsp_around* around, int, int32_t attribute, void*, void*) {
  if (attribute == cupti::kPerThreadBuffers) after_setting(*around);
}
void xsp_before_cuptiActivityRegisterTimestampCallback(const xsp_around* around, void**) { before_setting(*around); }
void xsp_after_cuptiActivityRegisterTimestampCallback(const xsp_around* around, int, void*) { after_setting(*around); }

void xsp_before_cuptiFinalize(const xsp_around* around) { before_finalize(*around); }
void xsp_after_cuptiFinalize(const xsp_around* around, int result) { after_finalize(*around, result); }

}  // extern "C"
#pragma GCC visibility pop
