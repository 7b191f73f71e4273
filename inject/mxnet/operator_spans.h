#pragma once

#include <cstdint>

#include "inject/mxnet/open_calls.h"

namespace xsp::guest {

/// An operator of MXNet while it runs: a span on the thread of the engine that runs it, so that what it calls of
/// oneDNN, BLAS and CUDA lies inside. A layer where it belongs to the call of a model.
class OperatorSpan {
 public:
  OperatorSpan() = default;
  OperatorSpan(const OperatorSpan&) = delete;
  OperatorSpan& operator=(const OperatorSpan&) = delete;

  /// Does nothing for type 0, or where nothing is recorded.
  void open(MxnetCall call, uint32_t name, uint32_t type);
  /// When it has run, or has thrown. Returns the time; 0 if it has no span.
  uint64_t close(uint32_t shape, uint64_t output_bytes);

  bool is_open() const { return slot_ != UINT32_MAX; }

 private:
  uint32_t slot_ = UINT32_MAX;
  uint32_t scope_ = 0;
};

/// The thread, if what runs on it now may be recorded: the guest is awake, which only a call of a model makes it.
Thread* mxnet_thread();

}  // namespace xsp::guest
