#pragma once

#include <cstdint>

#include "inject/record/thread.h"

namespace xsp::guest {

/// What is kept of a thread that calls PyTorch.
struct TorchThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kTorch;

  uint64_t allocated_bytes;  // that it has asked the framework's allocators for, ever; see allocations.h
  uint64_t number;           // its number in PyTorch, 0: not asked for yet
  void* forward_spans;       // its table, null: none yet; see forward_spans.cc
  uint32_t watched_call;     // bit of the model call whose peaks are kept, 0: none; see allocations.h
  uint32_t own_calls;        // open, of functions that call models for PyTorch; see inject/python/own_calls.h
};

}  // namespace xsp::guest
