#pragma once

#include <cstdint>

#include "inject/record/span.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

inline constexpr auto kKindModule = static_cast<uint8_t>(wire::Kind::kTorchModule);
inline constexpr auto kKindContainer = static_cast<uint8_t>(wire::Kind::kTorchContainer);
inline constexpr auto kKindRoot = static_cast<uint8_t>(wire::Kind::kTorchRoot);
inline constexpr auto kKindScript = static_cast<uint8_t>(wire::Kind::kTorchScript);
inline constexpr auto kKindConstruction = static_cast<uint8_t>(wire::Kind::kTorchConstruction);

struct KerasCall;

/// What is kept of a thread that calls modules.
struct PythonThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kPython;

  /// The outermost module call that began outside the recording window and may still be running.
  struct {
    const void* object;
    const void* stack_address;
  } unrecorded_root;
  KerasCall* keras_call;     // the innermost call of a layer of Keras
  uint32_t stream_interval;  // of the model call that is open, 0: none; see inject/streams/stream_events.h
};

/// Two hooks called from one Python frame see stack addresses this close; a module called from inside lies further down
/// by several interpreter frames.
inline constexpr intptr_t kSameFrame = 256;

/// The innermost module call that is open on the thread; null if there is none.
inline Thread::Mark* innermost_module(Thread& thread) {
  for (uint32_t slot = thread.depth(); slot > 0; --slot) {
    if (thread.object_of(slot - 1) != nullptr) return &thread.marks[slot - 1];
  }
  return nullptr;
}

/// Whether a call lies wholly below the frame in which the outermost unrecorded call began, and so inside it.
inline bool is_inside_unrecorded(const Thread& thread, const char* frame) {
  const auto& root = thread.of<PythonThread>().unrecorded_root;
  return root.object != nullptr && static_cast<const char*>(root.stack_address) - frame > kSameFrame;
}

/// The kind of a module's span that ends: what was opened as a model, or by a constructor, stays one.
inline uint8_t ended_kind(uint8_t opened_as, const Thread::Mark& mark) {
  return mark.has_inner && opened_as != kKindRoot && opened_as != kKindConstruction ? kKindContainer : opened_as;
}

/// Sets what the call in `slot` has allocated and, for a model's call, records what was live.
void tell_memory(Thread& thread, uint32_t slot, SpanResult* result);

/// Closes the model's own span, or forgets it if there are too many model calls to keep.
void close_root(Thread& thread, uint32_t slot, uint64_t end, const SpanResult& result);

/// The call in the innermost slot has evaluated nothing: it, and what may have been recorded of it, is forgotten.
void forget_call(Thread& thread, uint32_t slot);

/// Calls left by an exception never reach their forward hook (PyTorch before 2.1). They are recognised by their stack
/// frames, which are gone: they lie at or below the caller's. Records them as failed, ending now.
void close_unwound_calls(Thread& thread, const char* frame, bool same_frame_too);

}  // namespace xsp::guest
