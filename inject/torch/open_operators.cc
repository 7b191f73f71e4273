#include "inject/torch/open_operators.h"

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/ranges/open_ranges.h"
#include "inject/record/tracer.h"
#include "inject/torch/allocations.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

using torch_abi::RecordFunction;

constexpr auto kKindAnnotation = static_cast<uint8_t>(wire::Kind::kAnnotation);

/// The domain of asynchronous annotations, which are recorded as ranges.
constinit RangeDomain annotation_domain{.state = RangeDomain::kReady,
                                        .name = 0,
                                        .number = 0,
                                        .kind = wire::Kind::kAnnotation,
                                        .is_onednn = false,
                                        .stage = {},
                                        .itt = {}};

/// Annotations that are open in the process; any thread may end them.
constexpr uint32_t kAnnotations = 256;
constexpr uint32_t kTries = 16;
constexpr uintptr_t kFree = 0;
constexpr uintptr_t kBusy = 1;
struct OpenAnnotation {
  std::atomic<uintptr_t> function;
  uint64_t handle;
  bool is_range;  // `handle` is start_range()'s, else a packed SpanHandle
};
struct OpenAnnotations {
  OpenAnnotation places[kAnnotations];
};
constinit ForkWiped<OpenAnnotations> open_annotations;

OpenAnnotation& place_of(OpenAnnotations& annotations, uintptr_t function, uint32_t attempt) {
  return annotations.places[(function / 64 + attempt) % kAnnotations];
}

/// If there is no place left, the annotation's end is found only on the thread where it began.
void remember(const RecordFunction* record_function, uint64_t handle, bool is_range) {
  OpenAnnotations* annotations = open_annotations.get();
  if (annotations == nullptr) {
    const ErrnoGuard errno_guard;
    annotations = open_annotations.make();
  }
  if (annotations == nullptr) return;
  const auto function = reinterpret_cast<uintptr_t>(record_function);
  for (uint32_t i = 0; i < kTries; ++i) {
    OpenAnnotation& place = place_of(*annotations, function, i);
    uintptr_t expected = place.function.load(std::memory_order_relaxed);
    // An earlier one at the same address has ended unseen.
    if (expected != kFree && expected != function) continue;
    if (!place.function.compare_exchange_strong(expected, kBusy, std::memory_order_acquire)) continue;
    place.handle = handle;
    place.is_range = is_range;
    place.function.store(function, std::memory_order_release);
    return;
  }
}

struct Remembered {
  uint64_t handle = 0;
  bool is_range = false;
};

Remembered take(const RecordFunction* record_function) {
  OpenAnnotations* annotations = open_annotations.get();
  if (annotations == nullptr) return {};
  const auto function = reinterpret_cast<uintptr_t>(record_function);
  for (uint32_t i = 0; i < kTries; ++i) {
    OpenAnnotation& place = place_of(*annotations, function, i);
    uintptr_t expected = function;
    if (place.function.load(std::memory_order_relaxed) != function ||
        !place.function.compare_exchange_strong(expected, kBusy, std::memory_order_acquire)) {
      continue;
    }
    const Remembered taken{place.handle, place.is_range};
    place.function.store(kFree, std::memory_order_release);
    return taken;
  }
  return {};
}

}  // namespace

uint32_t slot_of_operator(const Thread& thread, const RecordFunction* function) {
  for (uint32_t slot = thread.depth(); slot-- > 0;) {
    if (thread.root_of(slot) != function) continue;
    const uint32_t id = thread.ring->open[slot].id.load(std::memory_order_relaxed);
    return id == 0 || id == shm::kClosedSlot ? kNoSlot : slot;
  }
  return kNoSlot;
}

void close_operator(Thread& thread, uint32_t slot, uint64_t end, const SpanResult& known) {
  SpanResult result = known;
  tell_allocations(thread, slot, &result);
  if (thread.ring->open[slot].kind == kKindRoot) {
    end_memory_of_call(thread, slot);
    if (!end_model_call(thread, slot)) return abandon_spans(thread, slot);
  }
  if (__builtin_expect(slot + 1 == thread.depth(), 1)) {
    close_span(thread, slot, end, 0, result);
    return;
  }
  const uint32_t id = thread.ring->open[slot].id.load(std::memory_order_relaxed);
  finish_span_at(pack_handle({.ring = thread.ring_index, .slot = slot, .id = id}), end, result);
}

void open_annotation(Thread& thread, uint32_t name, const RecordFunction* function, bool is_async) {
  if (is_async) {
    if (const uint64_t range = start_range(annotation_domain, name); range != 0) remember(function, range, true);
    return;
  }
  const uint32_t slot =
      open_operator(thread, static_cast<uint8_t>(wire::Level::kApplication), kKindAnnotation, name, 0, function);
  if (slot == kNoSlot) return;
  const uint32_t id = thread.ring->open[slot].id.load(std::memory_order_relaxed);
  remember(function, pack_handle({.ring = thread.ring_index, .slot = slot, .id = id}), false);
}

void close_annotation(Thread& thread, const RecordFunction* function, uint64_t end) {
  const Remembered known = take(function);
  if (known.is_range) {
    end_range(known.handle, end);
    return;
  }
  if (const uint32_t slot = slot_of_operator(thread, function); slot != kNoSlot) {
    close_operator(thread, slot, end, {});
  } else if (known.handle != 0 && unpack_handle(known.handle).ring != thread.ring_index) {
    finish_span_at(known.handle, end, {});
  }
}

}  // namespace xsp::guest
