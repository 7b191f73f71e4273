/* libcudnn_ops.so.9: descriptors of the legacy API, and its convolution. */
#include "behaviour.h"
#include "driver_launch.h"

#define EXPORT __attribute__((visibility("default")))

enum { kBadParam = 2000, kExecutionFailed = 5000 };

/* As libcudnn_graph has it. */
typedef struct {
  void* stream;
} handle_contents;

typedef struct {
  int type, format, sizes[4], strides[4];
} tensor;
typedef struct {
  int pads[2], strides[2], dilations[2], mode, type;
} convolution;

EXPORT int cudnnCreateTensorDescriptor(tensor** created) {
  *created = calloc(1, sizeof **created);
  return behave("cudnnCreateTensorDescriptor", "%s", "");
}
EXPORT int cudnnDestroyTensorDescriptor(tensor* destroyed) {
  free(destroyed);
  return 0;
}
EXPORT int cudnnSetTensor4dDescriptor(tensor* into, int format, int type, int n, int c, int h, int w) {
  if (into == NULL || n <= 0) return kBadParam;
  *into = (tensor){type, format, {n, c, h, w}, {c * h * w, h * w, w, 1}};
  return 0;
}
EXPORT int cudnnGetTensorNdDescriptor(const tensor* from, int requested, int* type, int* count, int* sizes,
                                      int* strides) {
  if (from == NULL || from->sizes[0] == 0) return kBadParam;
  *type = from->type;
  *count = 4;
  for (int i = 0; i < 4 && i < requested; ++i) {
    sizes[i] = from->sizes[i];
    strides[i] = from->strides[i];
  }
  return 0;
}
EXPORT int cudnnCreateFilterDescriptor(tensor** created) {
  *created = calloc(1, sizeof **created);
  return 0;
}
EXPORT int cudnnDestroyFilterDescriptor(tensor* destroyed) {
  free(destroyed);
  return 0;
}
EXPORT int cudnnSetFilter4dDescriptor(tensor* into, int type, int format, int k, int c, int h, int w) {
  if (into == NULL || k <= 0) return kBadParam;
  *into = (tensor){type, format, {k, c, h, w}, {0}};
  return 0;
}
EXPORT int cudnnGetFilterNdDescriptor(const tensor* from, int requested, int* type, int* format, int* count,
                                      int* sizes) {
  if (from == NULL || from->sizes[0] == 0) return kBadParam;
  *type = from->type;
  *format = from->format;
  *count = 4;
  for (int i = 0; i < 4 && i < requested; ++i) sizes[i] = from->sizes[i];
  return 0;
}
EXPORT int cudnnCreateConvolutionDescriptor(convolution** created) {
  *created = calloc(1, sizeof **created);
  return 0;
}
EXPORT int cudnnDestroyConvolutionDescriptor(convolution* destroyed) {
  free(destroyed);
  return 0;
}
EXPORT int cudnnSetConvolution2dDescriptor(convolution* into, int pad_h, int pad_w, int stride_h, int stride_w,
                                           int dilation_h, int dilation_w, int mode, int type) {
  *into = (convolution){{pad_h, pad_w}, {stride_h, stride_w}, {dilation_h, dilation_w}, mode, type};
  return 0;
}
EXPORT int cudnnGetConvolutionNdDescriptor(const convolution* from, int requested, int* count, int* pads, int* strides,
                                           int* dilations, int* mode, int* type) {
  if (from == NULL) return kBadParam;
  *count = 2;
  for (int i = 0; i < 2 && i < requested; ++i) {
    pads[i] = from->pads[i];
    strides[i] = from->strides[i];
    dilations[i] = from->dilations[i];
  }
  *mode = from->mode;
  *type = from->type;
  return 0;
}
EXPORT int cudnnGetConvolutionGroupCount(const convolution* from, int* count) {
  *count = 1;
  return from == NULL ? kBadParam : 0;
}
EXPORT int cudnnGetConvolutionMathType(const convolution* from, int* type) {
  *type = 0;
  return from == NULL ? kBadParam : 0;
}
EXPORT int cudnnConvolutionForward(handle_contents* handle, const void* alpha, const tensor* x_desc, const void* x,
                                   const tensor* w_desc, const void* w, const convolution* conv_desc, int algorithm,
                                   void* workspace, size_t workspace_size, const void* beta, const tensor* y_desc,
                                   void* y) {
  (void)alpha, (void)x, (void)w, (void)workspace, (void)beta, (void)y_desc, (void)y;
  if (x_desc == NULL || w_desc == NULL || conv_desc == NULL) {
    behave("cudnnConvolutionForward", "%s", "refused");
    return kBadParam;
  }
  const int status =
      behave("cudnnConvolutionForward", "x=%d,%d,%d,%d w=%d,%d,%d,%d pad=%d stride=%d algorithm=%d workspace=%zu",
             x_desc->sizes[0], x_desc->sizes[1], x_desc->sizes[2], x_desc->sizes[3], w_desc->sizes[0], w_desc->sizes[1],
             w_desc->sizes[2], w_desc->sizes[3], conv_desc->pads[0], conv_desc->strides[0], algorithm, workspace_size);
  if (status != 0 || handle == NULL) return status;
  /* The filter's layout is changed first, as in the real one. */
  if (run_kernel("cudnnConvolutionForward", "cudnn_nchwToNhwcKernel", 32, 256, handle->stream) != 0)
    return kExecutionFailed;
  return run_kernel("cudnnConvolutionForward", "implicit_convolve_sgemm", 64, 256, handle->stream) == 0
             ? 0
             : kExecutionFailed;
}
