#include "inject/cupti/state/other_profiler.h"

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/state/other_profiler_state.h"

namespace xsp::guest {

bool other_profiler_has_subscriber() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && (other->is_subscribing.load(std::memory_order_acquire) ||
                              other->is_subscribed.load(std::memory_order_acquire));
}

bool other_profiler_has_buffers() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && other->has_buffers.load(std::memory_order_acquire);
}

bool other_profiler_was_there() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && !other->name.empty();
}

std::string_view other_profiler_name() {
  const OtherProfiler* other = other_page.get();
  return other == nullptr ? std::string_view() : other->name.view();
}

void pass_on_buffer(const Session& session, void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                    size_t valid_bytes) {
  OtherProfiler* other = other_page.get();
  if (other == nullptr) return;
  const uintptr_t low = low_of(reinterpret_cast<const void*>(session.cupti.activity_register_callbacks));
  for (const CuptiCopy& copy : other->copies) {
    if (copy.low.load(std::memory_order_acquire) != low || copy.is_v2) continue;
    void* completed = copy.completed.load(std::memory_order_acquire);
    if (completed == nullptr) return;
    reinterpret_cast<cupti::BufferCompleted*>(completed)(context, stream, buffer, bytes, valid_bytes);
    return;
  }
}

}  // namespace xsp::guest
