#pragma once

#include <cstdint>

#include "inject/tensorflow/tensorflow_library.h"

namespace xsp::guest {

/// A call of a session, or of a function in eager mode, while it runs: a model span. Not for calls inside another one.
class TensorflowCall {
 public:
  /// A call of a session by other ways than the C API: Session.make_callable, tf.keras of 1.x, programs in C++. Its
  /// kernels tell its inputs.
  TensorflowCall();
  /// A call of TF_SessionRun with these inputs.
  TensorflowCall(const TensorflowLibrary& library, const tf::Tensor* const* inputs, int count);
  /// A call of TFE_Execute. Operations that are no functions get no span.
  TensorflowCall(const TensorflowLibrary& library, const tf::Op* op);
  TensorflowCall(const TensorflowCall&) = delete;
  TensorflowCall& operator=(const TensorflowCall&) = delete;

  void end(bool failed);

 private:
  template <typename NameOf, typename InputOf>
  void begin(NameOf&& name_of, InputOf&& input_of);

  uint64_t span_ = 0;
  uint32_t scope_ = 0;
};

}  // namespace xsp::guest
