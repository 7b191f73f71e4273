#pragma once

/// What host.cc calls of the stand-in for TensorFlow: C functions of the real library's names and signatures, as far as
/// they are used, and some of its own.

#include <cstdint>

extern "C" {
struct TF_Tensor;
struct TF_Status;
TF_Status* TF_NewStatus();
void TF_DeleteStatus(TF_Status* status);
int TF_GetCode(const TF_Status* status);
void TF_SessionRun(void* session, const void* run_options, const void* inputs, TF_Tensor* const* input_values,
                   int input_count, const void* outputs, TF_Tensor** output_values, int output_count,
                   const void* const* targets, int target_count, void* run_metadata, TF_Status* status);
void fake_tensorflow_make_session();
/// As Session.make_callable runs one.
void fake_tensorflow_run();
/// How many kernels have run, and a sum over what they were called with.
uint64_t fake_tensorflow_sum();
}
