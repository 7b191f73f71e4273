/* libcudnn_ops.so.9: descriptors of the legacy API, its convolution, which computes nothing, and softmax and pooling of
 * f32 in four dimensions, which do. */
#include <math.h>

#include "behaviour.h"
#include "driver_launch.h"

#define EXPORT __attribute__((visibility("default")))

enum { kBadParam = 2000, kNotSupported = 3000, kExecutionFailed = 5000 };

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
EXPORT int cudnnSetTensorNdDescriptor(tensor* into, int type, int rank, const int* sizes, const int* strides) {
  if (into == NULL || rank != 4 || type != 0) return kNotSupported;
  *into = (tensor){type, 0, {0}, {0}};
  memcpy(into->sizes, sizes, sizeof into->sizes);
  memcpy(into->strides, strides, sizeof into->strides);
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
/* cudnnConvolutionFwdAlgoPerf_t. */
typedef struct {
  int algorithm, status;
  float time;
  size_t memory;
  int determinism, math_type, reserved[3];
} algorithm_performance;

/* The precomputed product for kernels of one element, else Winograd's. */
EXPORT int cudnnGetConvolutionForwardAlgorithm_v7(handle_contents* handle, const tensor* x_desc, const tensor* w_desc,
                                                  const convolution* conv_desc, const tensor* y_desc, int requested,
                                                  int* returned, algorithm_performance* results) {
  (void)y_desc;
  if (handle == NULL || x_desc == NULL || w_desc == NULL || conv_desc == NULL || requested < 1) return kBadParam;
  *returned = 1;
  *results = (algorithm_performance){.algorithm = w_desc->sizes[2] == 1 ? 1 : 6};
  return behave("cudnnGetConvolutionForwardAlgorithm_v7", "x=%d,%d,%d,%d w=%d,%d,%d,%d", x_desc->sizes[0],
                x_desc->sizes[1], x_desc->sizes[2], x_desc->sizes[3], w_desc->sizes[0], w_desc->sizes[1],
                w_desc->sizes[2], w_desc->sizes[3]);
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

typedef struct {
  int mode, window[2], pads[2], strides[2];
} pooling;
typedef struct {
  tensor source, result;
  const float* from;
  float* to;
  int by_channel, is_log; /* of softmax */
  pooling form;
} work;

/* Has a copy of the work done behind its kernel on the stream, where there is a device. */
static int compute(const char* function, const char* kernel, void* stream, void (*run)(void*), const work* wanted) {
  if (run_kernel(function, kernel, 16, 128, stream) != 0) return kExecutionFailed;
  if (!is_on_device(wanted->to, sizeof(float))) return 0;
  work* copy = malloc(sizeof *copy);
  *copy = *wanted;
  compute_on_stream(stream, run, copy);
  return 0;
}

static int64_t place(const tensor* t, int n, int c, int h, int w) {
  return (int64_t)n * t->strides[0] + (int64_t)c * t->strides[1] + (int64_t)h * t->strides[2] +
         (int64_t)w * t->strides[3];
}

/* The elements that one is normalized with: those of all channels at its place, or of its whole image. */
static void normalize(const work* s, int n, int h, int w) {
  const int rows = s->by_channel ? 1 : s->source.sizes[2], columns = s->by_channel ? 1 : s->source.sizes[3];
  double largest = -3e38, sum = 0;
  for (int pass = 0; pass < 3; ++pass)
    for (int c = 0; c < s->source.sizes[1]; ++c)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          const float value = s->from[place(&s->source, n, c, h + i, w + j)];
          const double shifted = value - largest;
          if (pass == 0) largest = value > largest ? value : largest;
          if (pass == 1) sum += exp(shifted);
          if (pass == 2)
            s->to[place(&s->result, n, c, h + i, w + j)] = (float)(s->is_log ? shifted - log(sum) : exp(shifted) / sum);
        }
}
static void run_softmax(void* argument) {
  work* s = argument;
  for (int n = 0; n < s->source.sizes[0]; ++n)
    for (int h = 0; h < (s->by_channel ? s->source.sizes[2] : 1); ++h)
      for (int w = 0; w < (s->by_channel ? s->source.sizes[3] : 1); ++w) normalize(s, n, h, w);
  free(s);
}
EXPORT int cudnnSoftmaxForward(handle_contents* handle, int algorithm, int mode, const void* alpha,
                               const tensor* x_desc, const void* x, const void* beta, const tensor* y_desc, void* y) {
  (void)alpha, (void)beta;
  const int status = behave("cudnnSoftmaxForward", "algorithm=%d mode=%d", algorithm, mode);
  if (status != 0 || handle == NULL || x_desc == NULL || y_desc == NULL) return status != 0 ? status : kBadParam;
  const work s = {*x_desc, *y_desc, x, y, mode == 1, algorithm == 2, {0}};
  return compute("cudnnSoftmaxForward", "softmax_fw_kernel", handle->stream, run_softmax, &s);
}

EXPORT int cudnnCreatePoolingDescriptor(pooling** created) {
  *created = calloc(1, sizeof **created);
  return 0;
}
EXPORT int cudnnDestroyPoolingDescriptor(pooling* destroyed) {
  free(destroyed);
  return 0;
}
EXPORT int cudnnSetPoolingNdDescriptor(pooling* into, int mode, int nan, int rank, const int* window, const int* pads,
                                       const int* strides) {
  (void)nan;
  if (into == NULL || rank != 2) return kNotSupported;
  *into = (pooling){mode, {window[0], window[1]}, {pads[0], pads[1]}, {strides[0], strides[1]}};
  return 0;
}

static float pooled(const work* s, int n, int c, int h, int w) {
  const pooling* f = &s->form;
  float largest = -3e38f, sum = 0;
  int count = 0;
  for (int i = 0; i < f->window[0]; ++i)
    for (int j = 0; j < f->window[1]; ++j) {
      const int row = h * f->strides[0] - f->pads[0] + i, column = w * f->strides[1] - f->pads[1] + j;
      if (row < 0 || row >= s->source.sizes[2] || column < 0 || column >= s->source.sizes[3]) continue;
      const float value = s->from[place(&s->source, n, c, row, column)];
      largest = value > largest ? value : largest;
      sum += value;
      ++count;
    }
  return f->mode == 0 ? largest : sum / (float)(f->mode == 1 ? f->window[0] * f->window[1] : count);
}
static void run_pooling(void* argument) {
  work* s = argument;
  for (int n = 0; n < s->result.sizes[0]; ++n)
    for (int c = 0; c < s->result.sizes[1]; ++c)
      for (int h = 0; h < s->result.sizes[2]; ++h)
        for (int w = 0; w < s->result.sizes[3]; ++w) s->to[place(&s->result, n, c, h, w)] = pooled(s, n, c, h, w);
  free(s);
}
EXPORT int cudnnPoolingForward(handle_contents* handle, const pooling* form, const void* alpha, const tensor* x_desc,
                               const void* x, const void* beta, const tensor* y_desc, void* y) {
  (void)alpha, (void)beta;
  const int status = behave("cudnnPoolingForward", "mode=%d", form == NULL ? -1 : form->mode);
  if (status != 0 || handle == NULL || form == NULL) return status != 0 ? status : kBadParam;
  const work s = {*x_desc, *y_desc, x, y, 0, 0, *form};
  return compute("cudnnPoolingForward", "pooling_fw_4d_kernel", handle->stream, run_pooling, &s);
}
