#pragma once

#include "inject/cupti/state/session.h"
#include "inject/record/thread.h"

namespace xsp::guest {

/// Most nested calls of the CUDA API.
inline constexpr uint32_t kMaxApiCalls = 4;

/// A call of the CUDA API that has begun and not yet returned.
struct OpenApiCall {
  const void* frame;  // of the callback at its begin, which lies below the call's own
  uint32_t correlation;
  uint32_t slot;  // of its span, whoever opened it
  uint32_t span;
  bool is_driver;
  bool is_own_span;  // opened by the callback
};

/// The open calls of a thread, innermost last.
struct ApiThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kCupti;

  OpenApiCall calls[kMaxApiCalls];
  uint32_t call_count;
  uint32_t epoch;  // in which they began
};

/// CUPTI's callback for all domains: opens a span of the runtime level when a chosen call of the CUDA API begins on
/// this thread, and closes it with the call's correlation id. A call of the runtime whose wrapper has opened a span
/// already (library/) gets its correlation id; a driver call inside a runtime call is a part of that. Nodes of graphs:
/// graph_nodes.h. Calls no CUDA function.
void on_cupti_callback(void* user_data, int domain, uint32_t callback_id, const void* data);

/// Enables the callbacks that --cuda-api chose, and those of graph nodes, for our subscriber.
void enable_callbacks(Session& session);

/// Enables activity records of the same calls instead. While this lasts they are the runtime level: wrappers of the
/// CUDA runtime pass calls on without recording them.
void enable_call_records(Session& session);
void disable_call_records(Session& session);

}  // namespace xsp::guest
