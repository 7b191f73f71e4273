#include "inject/ranges/range_stack.h"

#include <string.h>

#include <algorithm>

#include "inject/guard/errno_guard.h"
#include "inject/ranges/nvtx_abi.h"
#include "inject/ranges/range_text.h"
#include "inject/record/hook_timer.h"
#include "inject/record/tracer.h"

namespace xsp::guest {
namespace {

using nvtx::kNotTracked;

constexpr uint16_t kMostLevels = UINT16_MAX;

bool is_range(const Thread& thread, uint32_t slot) {
  const auto kind = static_cast<wire::Kind>(thread.ring->open[slot].kind);
  // A range of oneDNN has the kind of a library call, so its domain must be looked at. PyTorch's annotations are
  // ranges, too.
  return kind == wire::Kind::kNvtxRange || kind == wire::Kind::kIttTask || kind == wire::Kind::kAnnotation ||
         (thread.ring->open[slot].kind == kKindLibraryCall && is_range_domain(thread.root_of(slot)));
}

/// Where the range of that domain and level lies on the stack; kNoSlot when it does not.
uint32_t slot_of(const Thread& thread, const RangeDomain& domain, uint32_t level) {
  for (uint32_t slot = thread.depth(); slot-- > 0;) {
    const Thread::Mark& mark = thread.marks[slot];
    if (thread.root_of(slot) != &domain || mark.root_instance != level || !is_range(thread, slot)) continue;
    const uint32_t id = thread.ring->open[slot].id.load(std::memory_order_relaxed);
    return id == 0 || id == shm::kClosedSlot ? kNoSlot : slot;
  }
  return kNoSlot;
}

uint32_t layout_id(const RangeDomain& domain) {
  static constinit std::atomic<uint32_t> ids[2] = {};
  std::atomic<uint32_t>& id = ids[domain.is_onednn ? 1 : 0];
  uint32_t known = id.load(std::memory_order_relaxed);
  if (known == 0) id.store(known = range_text(domain.is_onednn ? "problem:s4" : "metadata:s4"));
  return known;
}

void publish_text(Thread& thread, uint32_t span, uint32_t layout, uint32_t text) {
  if (layout == 0 || (!has_room(thread) && !make_room(thread, 0, 0))) return;
  const Place place = reserve(thread);
  auto* record = reinterpret_cast<shm::ArgumentRecord*>(place.record);
  record->span = span;
  record->layout = layout;
  memcpy(record->values, &text, sizeof text);
  record->record_type = static_cast<uint8_t>(shm::RecordType::kArguments);
  record->part = 0;
  record->length = sizeof text;
  record->flags = 0;
  commit(place);
}

void close_range(Thread& thread, uint32_t slot, uint64_t end) {
  shm::OpenSpan& span = thread.ring->open[slot];
  const uint32_t id = span.id.load(std::memory_order_relaxed);
  if (span.input != 0) {
    const auto* domain = static_cast<const RangeDomain*>(thread.marks[slot].root);
    publish_text(thread, id, layout_id(*domain), span.input);
    span.input = 0;
  }
  if (slot + 1 == thread.depth()) {
    close_span(thread, slot, end, 0, {});
  } else {
    finish_span(pack_handle({.ring = thread.ring_index, .slot = slot, .id = id}), {});
  }
  span_ended(thread.ring_index, id);
}

uint32_t onednn_id() {
  static constinit std::atomic<uint32_t> id{0};
  uint32_t known = id.load(std::memory_order_relaxed);
  if (known == 0) id.store(known = range_text("onednn"));
  return known;
}

uint32_t name_or_default(uint32_t name) {
  static constinit std::atomic<uint32_t> id{0};
  if (name != 0) return name;
  uint32_t known = id.load(std::memory_order_relaxed);
  if (known == 0) id.store(known = range_text("range"));
  return known;
}

/// Whether a wrapper of the library's function already records the call, with more arguments.
bool inside_wrapped_call(Thread& thread, uint32_t library) {
  drop_closed_slots(thread);
  const uint32_t depth = thread.depth();
  if (depth == 0) return false;
  const shm::OpenSpan& top = thread.ring->open[depth - 1];
  return top.kind == kKindLibraryCall && top.type == library && !is_range(thread, depth - 1);
}

int count_level(Thread& thread, const RangeDomain& domain) {
  uint16_t& levels = thread.of<RangeThread>().levels[domain.number];
  const uint16_t level = levels;
  if (level < kMostLevels) levels = static_cast<uint16_t>(level + 1);
  return level;
}

}  // namespace

bool are_ranges_wanted(const RangeDomain& domain) {
  const uint8_t deepest = wanted_calls.load(std::memory_order_relaxed) & (kAllCalls - 1);
  return deepest >= static_cast<uint8_t>(domain.is_onednn ? wire::Level::kLibrary : wire::Level::kLayer);
}

Thread* range_thread(const RangeDomain& domain) {
  Thread* thread = recording_thread();
  return thread != nullptr && are_ranges_wanted(domain) ? thread : nullptr;
}

int pass_range(const RangeDomain& domain) {
  Thread* thread = this_thread;
  const bool is_known = thread != nullptr && thread->ring != nullptr && are_ranges_wanted(domain) &&
                        (thread->recording_ring == nullptr || !are_hooks_running());
  return is_known ? count_level(*thread, domain) : kNotTracked;
}

int push_range(const RangeDomain& domain, uint32_t name) {
  const HookTimer timer(known_thread());
  name = name_or_default(name);
  const uint32_t opening = is_awaited(name, domain.name) ? begin_opening() : 0;
  // The range that opens the window is recorded at all levels.
  Thread* thread = opening != 0 ? opening_thread() : range_thread(domain);
  if (thread == nullptr) {
    drop_opening(opening);
    return pass_range(domain);
  }
  auto level = static_cast<uint8_t>(wire::Level::kApplication);
  auto kind = static_cast<uint8_t>(domain.kind);
  uint32_t type = domain.name;
  const int nesting = count_level(*thread, domain);
  if (domain.is_onednn) {
    level = static_cast<uint8_t>(wire::Level::kLibrary);
    kind = kKindLibraryCall;
    type = onednn_id();
    if (inside_wrapped_call(*thread, type)) {
      drop_opening(opening);
      return nesting;
    }
  }
  const uint32_t slot = open_span(*thread, level, kind, name, type, 0);
  if (slot == kNoSlot) {
    drop_opening(opening);
    return nesting;
  }
  if (__builtin_expect(opening != 0, 0)) {
    set_opening(opening, thread->ring_index, thread->ring->open[slot].id.load(std::memory_order_relaxed));
  }
  Thread::Mark& mark = thread->marks[slot];
  mark.object = nullptr;
  mark.root = &domain;
  mark.span = thread->ring->open[slot].id.load(std::memory_order_relaxed);
  mark.root_instance = static_cast<uint32_t>(nesting);
  // Above every frame: close_abandoned_calls() must not take it for a call that a longjmp left, as a range may outlive
  // the frame that pushed it.
  mark.stack_address = reinterpret_cast<const void*>(UINTPTR_MAX);
  return nesting;
}

int pop_range(const RangeDomain& domain, uint64_t end) {
  Thread* thread = ending_thread();
  if (thread == nullptr) return kNotTracked;
  const HookTimer timer(thread, end);
  uint16_t& levels = thread->of<RangeThread>().levels[domain.number];
  // The program pops too often. NVTX documents a negative level for that.
  if (levels == 0) return are_ranges_wanted(domain) ? -1 : kNotTracked;
  const uint32_t level = --levels;
  drop_closed_slots(*thread);
  const uint32_t slot = slot_of(*thread, domain, level);
  if (slot != kNoSlot) close_range(*thread, slot, end);
  return static_cast<int>(level);
}

void describe_range(const RangeDomain& domain, uint32_t text) {
  Thread* thread = ending_thread();
  if (thread == nullptr || text == 0 || thread->of<RangeThread>().levels[domain.number] == 0) return;
  const uint32_t slot = slot_of(*thread, domain, thread->of<RangeThread>().levels[domain.number] - 1U);
  if (slot != kNoSlot) thread->ring->open[slot].input = text;
}

void mark_range(const RangeDomain& domain, uint32_t name) {
  Thread* thread = range_thread(domain);
  if (thread == nullptr) return;
  drop_closed_slots(*thread);
  const uint32_t depth = thread->depth();
  shm::Record record{};
  record.name = name_or_default(name);
  record.type = domain.name;
  record.parent = depth == 0 ? 0 : thread->ring->open[depth - 1].id.load(std::memory_order_relaxed);
  record.level = static_cast<uint8_t>(wire::Level::kApplication);
  record.kind = static_cast<uint8_t>(domain.kind);
  record.begin = record.end = now();
  record_span(*thread, record);
}

uint32_t slot_below_ranges(const Thread& thread) {
  for (uint32_t slot = thread.depth(); slot-- > 0;) {
    if (thread.ring->open[slot].id.load(std::memory_order_relaxed) == shm::kClosedSlot) continue;
    if (!is_range(thread, slot)) return slot;
  }
  return kNoSlot;
}

void close_ranges_above(Thread& thread, uint32_t slot, uint64_t end) {
  drop_closed_slots(thread);
  while (thread.depth() > slot + 1 && is_range(thread, thread.depth() - 1)) {
    close_range(thread, thread.depth() - 1, end);
    drop_closed_slots(thread);
  }
}

}  // namespace xsp::guest
