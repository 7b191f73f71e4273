#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "import/kineto/profiler_event.h"
#include "proto/trace_numbers.h"

namespace xsp::kineto {

/// Pairs calls with what they launched in profiles without correlation ids, as PyTorch's on ROCm from 2021 to 2024:
/// both have the same "External id", which is their own or that of the operator around them. If several calls of one
/// operator launch the same kind, the first is taken, so that the layer is right, if not the call.
class ExternalIds {
 public:
  /// An id to use as the correlation id, distinct from all given ones; 0: none.
  uint32_t of_call(const ProfilerEvent& event);
  static uint32_t of_execution(const ProfilerEvent& event, wire::Kind kind);

 private:
  std::unordered_set<uint32_t> taken_;
};

}  // namespace xsp::kineto
