#pragma once

#include <cstdint>

namespace xsp::guest {

/// A call of MXNet's C API that runs a graph. Unless it lies inside the call of a block of Gluon, it is the call of a
/// model.
class MxnetGraphCall {
 public:
  /// `name`: what is known of the model without its layers, such as "Executor.forward". `trains`: it is told to train.
  MxnetGraphCall(const char* name, bool trains);
  MxnetGraphCall(const MxnetGraphCall&) = delete;
  MxnetGraphCall& operator=(const MxnetGraphCall&) = delete;

  void end(bool failed);

 private:
  bool is_open_ = false;
};

/// The call of a block of Gluon; `name` and `input` are string ids. `frame`: the stack address of its hook. False
/// inside another call.
bool begin_block_call(uint32_t name, uint32_t input, const void* frame);
void end_block_call(bool failed);

}  // namespace xsp::guest
