/* libcudnn.so.9: no work of its own. As the real one, it opens its parts by its RUNPATH at the first call and looks the
 * same names up in them. */
#include <dlfcn.h>
#include <stdint.h>

#include "behaviour.h"

#define EXPORT __attribute__((visibility("default")))

enum { kSublibraryLoadingFailed = 1002 };

static void* part_named(const char* file) {
  void* part = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (part == NULL && getenv("FAKE_CUDA_LOG") != NULL) behave("dlopen", "%s", dlerror());
  return part;
}

static void* function_in(const char* file, const char* name) {
  void* part = part_named(file);
  return part == NULL ? NULL : dlsym(part, name);
}

#define FORWARD(part, name, parameters, arguments)                           \
  EXPORT int name parameters {                                               \
    static int(*function) parameters;                                        \
    if (function == NULL) *(void**)&function = function_in(part, #name);     \
    return function == NULL ? kSublibraryLoadingFailed : function arguments; \
  }

#define OPS "libcudnn_ops.so.9"
#define GRAPH "libcudnn_graph.so.9"

FORWARD(GRAPH, cudnnCreate, (void** handle), (handle))
FORWARD(GRAPH, cudnnDestroy, (void* handle), (handle))
FORWARD(GRAPH, cudnnSetStream, (void* handle, void* stream), (handle, stream))
FORWARD(GRAPH, cudnnGetStream, (void* handle, void** stream), (handle, stream))
FORWARD(GRAPH, cudnnBackendCreateDescriptor, (int type, void** descriptor), (type, descriptor))
FORWARD(GRAPH, cudnnBackendDestroyDescriptor, (void* descriptor), (descriptor))
FORWARD(GRAPH, cudnnBackendFinalize, (void* descriptor), (descriptor))
FORWARD(GRAPH, cudnnBackendSetAttribute, (void* descriptor, int name, int type, int64_t count, const void* elements),
        (descriptor, name, type, count, elements))
FORWARD(GRAPH, cudnnBackendGetAttribute,
        (void* descriptor, int name, int type, int64_t requested, int64_t* count, void* elements),
        (descriptor, name, type, requested, count, elements))
FORWARD(GRAPH, cudnnBackendExecute, (void* handle, void* plan, void* variants), (handle, plan, variants))
FORWARD(OPS, cudnnCreateTensorDescriptor, (void** descriptor), (descriptor))
FORWARD(OPS, cudnnDestroyTensorDescriptor, (void* descriptor), (descriptor))
FORWARD(OPS, cudnnSetTensor4dDescriptor, (void* descriptor, int format, int type, int n, int c, int h, int w),
        (descriptor, format, type, n, c, h, w))
FORWARD(OPS, cudnnSetTensorNdDescriptor, (void* descriptor, int type, int rank, const int* sizes, const int* strides),
        (descriptor, type, rank, sizes, strides))
FORWARD(OPS, cudnnGetTensorNdDescriptor,
        (void* descriptor, int requested, int* type, int* count, int* sizes, int* strides),
        (descriptor, requested, type, count, sizes, strides))
FORWARD(OPS, cudnnCreateFilterDescriptor, (void** descriptor), (descriptor))
FORWARD(OPS, cudnnDestroyFilterDescriptor, (void* descriptor), (descriptor))
FORWARD(OPS, cudnnSetFilter4dDescriptor, (void* descriptor, int type, int format, int k, int c, int h, int w),
        (descriptor, type, format, k, c, h, w))
FORWARD(OPS, cudnnGetFilterNdDescriptor,
        (void* descriptor, int requested, int* type, int* format, int* count, int* sizes),
        (descriptor, requested, type, format, count, sizes))
FORWARD(OPS, cudnnCreateConvolutionDescriptor, (void** descriptor), (descriptor))
FORWARD(OPS, cudnnDestroyConvolutionDescriptor, (void* descriptor), (descriptor))
FORWARD(OPS, cudnnSetConvolution2dDescriptor,
        (void* descriptor, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode,
         int type),
        (descriptor, pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, type))
FORWARD(OPS, cudnnGetConvolutionNdDescriptor,
        (void* descriptor, int requested, int* count, int* pads, int* strides, int* dilations, int* mode, int* type),
        (descriptor, requested, count, pads, strides, dilations, mode, type))
FORWARD(OPS, cudnnGetConvolutionGroupCount, (void* descriptor, int* count), (descriptor, count))
FORWARD(OPS, cudnnGetConvolutionMathType, (void* descriptor, int* type), (descriptor, type))
FORWARD(OPS, cudnnGetConvolutionForwardAlgorithm_v7,
        (void* handle, void* x_desc, void* w_desc, void* conv_desc, void* y_desc, int requested, int* returned,
         void* results),
        (handle, x_desc, w_desc, conv_desc, y_desc, requested, returned, results))
FORWARD(OPS, cudnnConvolutionForward,
        (void* handle, const void* alpha, void* x_desc, const void* x, void* w_desc, const void* w, void* conv_desc,
         int algorithm, void* workspace, size_t workspace_size, const void* beta, void* y_desc, void* y),
        (handle, alpha, x_desc, x, w_desc, w, conv_desc, algorithm, workspace, workspace_size, beta, y_desc, y))
FORWARD(OPS, cudnnSoftmaxForward,
        (void* handle, int algorithm, int mode, const void* alpha, void* x_desc, const void* x, const void* beta,
         void* y_desc, void* y),
        (handle, algorithm, mode, alpha, x_desc, x, beta, y_desc, y))
FORWARD(OPS, cudnnCreatePoolingDescriptor, (void** descriptor), (descriptor))
FORWARD(OPS, cudnnDestroyPoolingDescriptor, (void* descriptor), (descriptor))
FORWARD(OPS, cudnnSetPoolingNdDescriptor,
        (void* descriptor, int mode, int nan, int rank, const int* window, const int* pads, const int* strides),
        (descriptor, mode, nan, rank, window, pads, strides))
FORWARD(OPS, cudnnPoolingForward,
        (void* handle, void* pooling, const void* alpha, void* x_desc, const void* x, const void* beta, void* y_desc,
         void* y),
        (handle, pooling, alpha, x_desc, x, beta, y_desc, y))

EXPORT const char* cudnnGetErrorString(int status) {
  return status == 2000   ? "CUDNN_STATUS_BAD_PARAM"
         : status == 3000 ? "CUDNN_STATUS_NOT_SUPPORTED"
                          : "CUDNN_STATUS_OTHER";
}
EXPORT void cudnnGetLastErrorString(char* message, size_t room) {
  snprintf(message, room, "%s", "plan->finalize()\nno kernel of this stand-in takes the tile\n");
}

EXPORT size_t cudnnGetVersion(void) { return 91900; }
