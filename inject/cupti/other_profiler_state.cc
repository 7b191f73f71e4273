#include "inject/cupti/other_profiler_state.h"

#include "inject/cupti/activity_abi.h"
#include "inject/cupti/activity_buffers.h"
#include "inject/cupti/activity_thread.h"
#include "inject/cupti/session.h"
#include "inject/objects/elf_object.h"
#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

using RegisterCallbacks = cupti::Result(void* requested, void* completed);
using RegisterCallbacksV2 = cupti::Result(void* subscriber, void* requested, void* completed);

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

}  // namespace

constinit ForkWiped<OtherProfiler> other_page;

uintptr_t low_of(const void* address) {
  ElfObject object;
  return find_object(reinterpret_cast<uintptr_t>(address), &object) ? object.low : 0;
}

CuptiCopy* copy_at(OtherProfiler& other, uintptr_t low) {
  for (CuptiCopy& copy : other.copies) {
    uintptr_t known = copy.low.load(std::memory_order_acquire);
    if (known == 0 && copy.low.compare_exchange_strong(known, low, std::memory_order_acq_rel)) return &copy;
    if (known == low) return &copy;
  }
  return nullptr;
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
  for (const CuptiCopy& copy : other.copies) {
    for (const auto& word : copy.kinds) {
      if (word.load(std::memory_order_acquire) != 0) return true;
    }
  }
  return false;
}

void set_kind(CuptiCopy& copy, int kind, bool enabled) {
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
  for (const CuptiCopy& copy : other.copies) {
    if (is_flush_due && copy.is_unflushed.load(std::memory_order_acquire)) return;
  }
  if (other.has_buffers.exchange(false, std::memory_order_acq_rel)) ask_to_settle(other);
}

void* completion_of(const OtherProfiler& other, const CuptiCopy& copy) {
  return reinterpret_cast<void*>(kCompletions[&copy - other.copies]);
}

void register_again(const CuptiCopy& copy) {
  void* by = copy.registered_by.load(std::memory_order_acquire);
  void* requested = copy.requested.load(std::memory_order_acquire);
  void* completed = copy.completed.load(std::memory_order_acquire);
  if (by == nullptr) return;
  if (copy.is_v2) {
    reinterpret_cast<RegisterCallbacksV2*>(by)(copy.subscriber.load(std::memory_order_acquire), requested, completed);
    return;
  }
  const OtherProfiler* other = other_page.get();
  reinterpret_cast<RegisterCallbacks*>(by)(requested, completion_of(*other, copy));
}

bool take_buffers(OtherProfiler& other, const xsp_around& around) {
  other.called_at_ns.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_release);
  const std::string_view name = set_name(other, around);
  const bool had = other.has_buffers.exchange(true, std::memory_order_acq_rel);
  pause_session(wire::GapReason::kOtherProfiler, name);
  return had;
}

}  // namespace xsp::guest
