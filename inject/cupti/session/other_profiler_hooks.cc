#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/session/giving_way.h"
#include "inject/cupti/session/session_control.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/cupti/state/other_profiler_state.h"
#include "inject/guard/errno_guard.h"
#include "inject/library/call.h"

namespace xsp::guest {
namespace {

/// A call by another profiler. `copy` is null if CUPTI calls itself, or if there is no room to keep track of that copy.
struct Call {
  OtherProfiler* other;
  CuptiCopy* copy;
};

Call call_of(const xsp_around& around) {
  OtherProfiler* other = other_page.make();
  const uintptr_t low = low_of(around.real);
  if (other == nullptr || low == 0 || low == low_of(around.caller)) return {other, nullptr};
  return {other, copy_at(*other, low)};
}

void before_register(const xsp_around& around, void* subscriber, void* requested, void** completed, bool is_v2) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy == nullptr) return;
  take_buffers(*call.other, around);
  CuptiCopy& copy = *call.copy;
  copy.is_v2 = is_v2;
  copy.subscriber.store(subscriber, std::memory_order_release);
  copy.requested.store(requested, std::memory_order_release);
  copy.completed.store(*completed, std::memory_order_release);
  copy.registered_by.store(*completed == nullptr ? nullptr : around.real, std::memory_order_release);
  if (!is_v2 && *completed != nullptr) {
    *completed = completion_of(*call.other, copy);
  }
}

void after_register(const xsp_around& around, cupti::Result result) {
  const ErrnoGuard errno_guard;
  const Call call = call_of(around);
  if (call.copy != nullptr && result != cupti::kSuccess) release_buffers_if_done(*call.other, true);
}

/// A profiler changes a setting before it begins. Such settings must not change while we record.
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
  if (!has_kinds(*call.other)) get_late_buffers_back();
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

}  // namespace
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
