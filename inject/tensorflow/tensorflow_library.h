#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/record/thread.h"

namespace xsp::guest {

/// Types of TensorFlow's C API, of which only addresses are known here.
namespace tf {
struct Session;
struct Status;
struct Tensor;
struct Op;            // TFE_Op
struct TensorHandle;  // TFE_TensorHandle
struct Buffer;
struct Operation;
struct Output {  // TF_Output
  Operation* operation;
  int index;
};
inline constexpr int kResource = 20;  // DT_RESOURCE: a variable's handle
}  // namespace tf

/// What the guest calls of the loaded TensorFlow, all of it C.
struct TensorflowLibrary {
  tf::Status* (*new_status)();
  void (*delete_status)(tf::Status* status);
  int (*get_code)(const tf::Status* status);  // 0: OK
  int (*tensor_rank)(const tf::Tensor* tensor);
  int64_t (*tensor_size)(const tf::Tensor* tensor, int dimension);

  /// Whether it has what follows, as 2.13 has and 1.15 has not: without it, calls in eager mode are not recorded.
  bool has_functions;
  const char* (*op_name)(const tf::Op* op, tf::Status* status);
  int (*op_input_count)(const tf::Op* op, tf::Status* status);
  tf::TensorHandle* (*op_input)(const tf::Op* op, int index, tf::Status* status);
  int (*handle_type)(tf::TensorHandle* handle);
  int (*handle_rank)(tf::TensorHandle* handle, tf::Status* status);
  int64_t (*handle_size)(tf::TensorHandle* handle, int dimension, tf::Status* status);
};

/// The library in which `function` lies, found once. Null where a function is missing: its calls are not recorded then,
/// which a notice says.
const TensorflowLibrary* tensorflow_library(const void* function);

/// A status of TensorFlow's for the guest's own questions, which it answers well unless is_ok() is false. Each thread
/// has one for all of its questions, as making one takes longer than most of them.
class OwnStatus {
 public:
  OwnStatus(const TensorflowLibrary& library, Thread& thread);

  operator tf::Status*() const { return status_; }
  bool is_ok() const { return library_.get_code(status_) == 0; }

 private:
  const TensorflowLibrary& library_;
  tf::Status* status_;
};

}  // namespace xsp::guest
