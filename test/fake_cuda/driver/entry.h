#pragma once

/// For the exported functions. Parameter structures are those shown by CUPTI (generated_cuda_meta.h).

#include "simulation.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

using DevicePointer = unsigned long long;

namespace fake {

/// The stream of a call and the driver's state: what nearly every function checks first.
struct OnStream {
  OnStream(void* handle, bool per_thread) {
    status = usable();
    if (status != kSuccess) return;
    std::lock_guard held(state().lock);
    if (current_context() == nullptr) {
      status = kInvalidContext;
      return;
    }
    stream = find_stream(handle, per_thread);
    if (stream == nullptr) status = kInvalidHandle;
  }
  int status;
  Stream* stream = nullptr;
};

/// For calls that are not allowed while a graph is being captured in global mode.
inline int unsafe_in_capture(int thread_mode) {
  State& s = state();
  std::lock_guard held(s.lock);
  if (thread_mode == 2) return kSuccess;
  for (const auto& [device, context] : s.primary) {
    for (const Stream* stream : context->streams) {
      if (stream->capture != nullptr && stream->capture_mode == 0 && !stream->capture_invalid) {
        invalidate_captures();
        return kCaptureUnsupported;
      }
    }
  }
  return kSuccess;
}

/// The newest function with that name; if asked for, its form for per-thread default streams, if it has one.
void* find_function(const char* symbol, bool per_thread);

/// The mode set by cuThreadExchangeStreamCaptureMode.
int& capture_mode_of_thread();

}  // namespace fake
