#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "bound/backends/cuda_api.h"
#include "bound/backends/cudnn_values.h"
#include "bound/backends/shared_library.h"

/// What is called of cuDNN 8 and 9 (libcudnn.so): types and functions of its published interface. No header of it is
/// needed to build.
namespace xsp::bound::cudnn {

// Objects of the library, known by their addresses.
struct HandleObject;
struct BackendObject;
struct TensorObject;
struct PoolingObject;
struct ResponseNormObject;
struct ReductionObject;
using Handle = HandleObject*;

using Answer = int;  // cudnnStatus_t

/// cudnnFraction_t.
struct Fraction {
  int64_t numerator;
  int64_t denominator;
};

/// member, symbol, parameters; all return an Answer. Without these the library is of no use.
#define XSP_CUDNN_FUNCTIONS(X)                                                                      \
  X(create, cudnnCreate, (Handle * handle))                                                         \
  X(destroy, cudnnDestroy, (Handle handle))                                                         \
  X(set_stream, cudnnSetStream, (Handle handle, cuda::Stream stream))                               \
  X(create_descriptor, cudnnBackendCreateDescriptor, (int type, BackendObject** descriptor))        \
  X(destroy_descriptor, cudnnBackendDestroyDescriptor, (BackendObject * descriptor))                \
  X(finalize, cudnnBackendFinalize, (BackendObject * descriptor))                                   \
  X(set_attribute, cudnnBackendSetAttribute,                                                        \
    (BackendObject * descriptor, int name, int type, int64_t count, const void* elements))          \
  X(get_attribute, cudnnBackendGetAttribute,                                                        \
    (BackendObject * descriptor, int name, int type, int64_t room, int64_t* count, void* elements)) \
  X(execute, cudnnBackendExecute, (Handle handle, BackendObject * plan, BackendObject * variant_pack))

/// The same for functions that a later version may drop: null then, and what needs them is not offered.
#define XSP_CUDNN_LEGACY_FUNCTIONS(X)                                                                               \
  X(create_tensor, cudnnCreateTensorDescriptor, (TensorObject * *tensor))                                           \
  X(destroy_tensor, cudnnDestroyTensorDescriptor, (TensorObject * tensor))                                          \
  X(set_tensor, cudnnSetTensorNdDescriptor,                                                                         \
    (TensorObject * tensor, int type, int rank, const int* dimensions, const int* strides))                         \
  X(softmax, cudnnSoftmaxForward,                                                                                   \
    (Handle handle, int algorithm, int mode, const void* alpha, TensorObject* source_form, const void* source,      \
     const void* beta, TensorObject* result_form, void* result))                                                    \
  X(create_pooling, cudnnCreatePoolingDescriptor, (PoolingObject * *pooling))                                       \
  X(destroy_pooling, cudnnDestroyPoolingDescriptor, (PoolingObject * pooling))                                      \
  X(set_pooling, cudnnSetPoolingNdDescriptor,                                                                       \
    (PoolingObject * pooling, int mode, int nan, int rank, const int* window, const int* pads, const int* strides)) \
  X(pooling, cudnnPoolingForward,                                                                                   \
    (Handle handle, PoolingObject * pooling, const void* alpha, TensorObject* source_form, const void* source,      \
     const void* beta, TensorObject* result_form, void* result))                                                    \
  X(create_response_norm, cudnnCreateLRNDescriptor, (ResponseNormObject * *norm))                                   \
  X(destroy_response_norm, cudnnDestroyLRNDescriptor, (ResponseNormObject * norm))                                  \
  X(set_response_norm, cudnnSetLRNDescriptor,                                                                       \
    (ResponseNormObject * norm, unsigned size, double alpha, double beta, double bias))                             \
  X(response_norm, cudnnLRNCrossChannelForward,                                                                     \
    (Handle handle, ResponseNormObject * norm, int mode, const void* alpha, TensorObject* source_form,              \
     const void* source, const void* beta, TensorObject* result_form, void* result))                                \
  X(create_reduction, cudnnCreateReduceTensorDescriptor, (ReductionObject * *reduction))                            \
  X(destroy_reduction, cudnnDestroyReduceTensorDescriptor, (ReductionObject * reduction))                           \
  X(set_reduction, cudnnSetReduceTensorDescriptor,                                                                  \
    (ReductionObject * reduction, int operation, int compute_type, int nan, int indices, int index_type))           \
  X(reduction_workspace, cudnnGetReductionWorkspaceSize,                                                            \
    (Handle handle, ReductionObject * reduction, TensorObject * source_form, TensorObject * result_form,            \
     size_t * bytes))                                                                                               \
  X(reduction, cudnnReduceTensor,                                                                                   \
    (Handle handle, ReductionObject * reduction, void* indices, size_t index_bytes, void* workspace,                \
     size_t workspace_bytes, const void* alpha, TensorObject* source_form, const void* source, const void* beta,    \
     TensorObject* result_form, void* result))                                                                      \
  X(batch_norm, cudnnBatchNormalizationForwardInference,                                                            \
    (Handle handle, int mode, const void* alpha, const void* beta, TensorObject* source_form, const void* source,   \
     TensorObject* result_form, void* result, TensorObject* factor_form, const void* scale, const void* shift,      \
     const void* mean, const void* variance, double epsilon))                                                       \
  X(transform, cudnnTransformTensor,                                                                                \
    (Handle handle, const void* alpha, TensorObject* source_form, const void* source, const void* beta,             \
     TensorObject* result_form, void* result))

/// The library, loaded. Lives until the process ends.
class Api {
 public:
  /// `is_known`: false for a file that is no cuDNN of version 8 or newer.
  static Status open(const std::string& path, Api* api, bool* is_known);

#define XSP_DECLARE(member, symbol, parameters) Answer(*member) parameters = nullptr;
  XSP_CUDNN_FUNCTIONS(XSP_DECLARE)
  XSP_CUDNN_LEGACY_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE

  /// 91900 for 9.19.0, 8902 for 8.9.2.
  size_t version_number() const { return version_number_; }
  std::string version() const;  // "9.19.0"
  const std::string& path() const { return file_.path(); }

  /// Ok for success, else the library's word: its reason where it tells one (since 9.0), and the name of the status.
  /// To be asked for right behind the call that failed.
  Status status_of(Answer answer) const;

 private:
  SharedLibrary file_;
  size_t version_number_ = 0;
  const char* (*error_string_)(Answer answer) = nullptr;
  void (*last_error_)(char* message, size_t room) = nullptr;
};

}  // namespace xsp::bound::cudnn
