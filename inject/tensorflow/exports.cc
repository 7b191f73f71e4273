/// Functions of TensorFlow's C API that the guest exports under their own names. Python's bindings call them from one
/// library to another, C and C++ programs by their own tables. Each calls the real one.

#include "inject/interpose/forwarded_function.h"
#include "inject/record/switches.h"
#include "inject/tensorflow/kernel_slots.h"
#include "inject/tensorflow/model_calls.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace xsp::guest {
namespace {

using SessionRun = void (*)(tf::Session*, const tf::Buffer*, const tf::Output*, tf::Tensor* const*, int,
                            const tf::Output*, tf::Tensor**, int, const tf::Operation* const*, int, tf::Buffer*,
                            tf::Status*);
/// Session* NewSession(const SessionOptions&), and Status NewSession(const SessionOptions&, Session**), whose result's
/// address is in front.
using NewSession = void* (*)(void*, void*, void*);
using Execute = void (*)(tf::Op*, tf::TensorHandle**, int*, tf::Status*);

constinit ForwardedFunction<SessionRun> real_session_run("TF_SessionRun", "libtensorflow_cc.so",
                                                         "_pywrap_tensorflow_internal.so", "libtensorflow.so");
constinit ForwardedFunction<Execute> real_execute("TFE_Execute", "libtensorflow_cc.so",
                                                  "_pywrap_tensorflow_internal.so", "libtensorflow.so");

constinit ForwardedFunction<NewSession> real_new_session("_ZN10tensorflow10NewSessionERKNS_14SessionOptionsE",
                                                         "libtensorflow_framework.so");
constinit ForwardedFunction<NewSession> real_new_session_or_status(
    "_ZN10tensorflow10NewSessionERKNS_14SessionOptionsEPPNS_7SessionE", "libtensorflow_framework.so");

/// Before the session runs, so that it is seen however it is run.
void* new_session(const NewSession real, void* a, void* b, void* c) {
  if (real == nullptr) return nullptr;
  if (state.load(std::memory_order_relaxed) != State::kOff) watch_kernels();
  return real(a, b, c);
}

bool is_off() { return state.load(std::memory_order_relaxed) == State::kOff; }

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

XSP_EXPORT void TF_SessionRun(tf::Session* session, const tf::Buffer* run_options, const tf::Output* inputs,
                              tf::Tensor* const* input_values, int input_count, const tf::Output* outputs,
                              tf::Tensor** output_values, int output_count, const tf::Operation* const* targets,
                              int target_count, tf::Buffer* run_metadata, tf::Status* status) {
  const SessionRun real = real_session_run.get(__builtin_return_address(0));
  if (real == nullptr) return;
  const auto run = [&] {
    real(session, run_options, inputs, input_values, input_count, outputs, output_values, output_count, targets,
         target_count, run_metadata, status);
  };
  const TensorflowLibrary* library = is_off() ? nullptr : tensorflow_library(reinterpret_cast<const void*>(real));
  if (library == nullptr) return run();
  TensorflowCall call(*library, input_values, input_count);
  run();
  call.end(library->get_code(status) != 0);
}

XSP_EXPORT void* _ZN10tensorflow10NewSessionERKNS_14SessionOptionsE(void* a, void* b, void* c) {
  return new_session(real_new_session.get(__builtin_return_address(0)), a, b, c);
}

XSP_EXPORT void* _ZN10tensorflow10NewSessionERKNS_14SessionOptionsEPPNS_7SessionE(void* a, void* b, void* c) {
  return new_session(real_new_session_or_status.get(__builtin_return_address(0)), a, b, c);
}

XSP_EXPORT void TFE_Execute(tf::Op* op, tf::TensorHandle** results, int* result_count, tf::Status* status) {
  const Execute real = real_execute.get(__builtin_return_address(0));
  if (real == nullptr) return;
  const TensorflowLibrary* library = is_off() ? nullptr : tensorflow_library(reinterpret_cast<const void*>(real));
  if (library == nullptr || !library->has_functions) return real(op, results, result_count, status);
  TensorflowCall call(*library, op);
  real(op, results, result_count, status);
  call.end(library->get_code(status) != 0);
}

}  // extern "C"
