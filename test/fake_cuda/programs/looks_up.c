/* looks_up CUBLAS CUDNN: linked to neither; fills a table of pointers by dlopen and dlsym, as TensorFlow does. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void* cublas;
static void* cudnn;

static void* function_in(void* library, const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return function;
}

#define FROM(library, name, parameters)                                     \
  static int name parameters {                                              \
    static int(*function) parameters;                                       \
    if (function == NULL) *(void**)&function = function_in(library, #name); \
    return function ARGUMENTS;                                              \
  }

#define ARGUMENTS (handle)
FROM(cublas, cublasCreate_v2, (void** handle))
FROM(cublas, cublasDestroy_v2, (void* handle))
FROM(cudnn, cudnnCreate, (void** handle))
FROM(cudnn, cudnnDestroy, (void* handle))
FROM(cudnn, cudnnCreateTensorDescriptor, (void** handle))
FROM(cudnn, cudnnCreateFilterDescriptor, (void** handle))
FROM(cudnn, cudnnCreateConvolutionDescriptor, (void** handle))
FROM(cudnn, cudnnBackendFinalize, (void* handle))
#undef ARGUMENTS
#define ARGUMENTS (handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
FROM(cublas, cublasSgemm_v2,
     (void* handle, int op_a, int op_b, int m, int n, int k, const float* alpha, const float* a, int lda,
      const float* b, int ldb, const float* beta, float* c, int ldc))
#undef ARGUMENTS
#define ARGUMENTS (descriptor, format, type, n, c, h, w)
FROM(cudnn, cudnnSetTensor4dDescriptor, (void* descriptor, int format, int type, int n, int c, int h, int w))
FROM(cudnn, cudnnSetFilter4dDescriptor, (void* descriptor, int format, int type, int n, int c, int h, int w))
#undef ARGUMENTS
#define ARGUMENTS (descriptor, pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, type)
FROM(cudnn, cudnnSetConvolution2dDescriptor,
     (void* descriptor, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode,
      int type))
#undef ARGUMENTS
#define ARGUMENTS (handle, alpha, x_desc, x, w_desc, w, conv_desc, algorithm, space, size, beta, y_desc, y)
FROM(cudnn, cudnnConvolutionForward,
     (void* handle, const void* alpha, void* x_desc, const void* x, void* w_desc, const void* w, void* conv_desc,
      int algorithm, void* space, size_t size, const void* beta, void* y_desc, void* y))
#undef ARGUMENTS
#define ARGUMENTS (type, descriptor)
FROM(cudnn, cudnnBackendCreateDescriptor, (int type, void** descriptor))
#undef ARGUMENTS
#define ARGUMENTS (handle, plan, variants)
FROM(cudnn, cudnnBackendExecute, (void* handle, void* plan, void* variants))

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  cublas = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  cudnn = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (cublas == NULL || cudnn == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  const float one = 1;
  float matrix[1] = {0};
  void* handle = NULL;
  printf("create %d\n", cublasCreate_v2(&handle));
  printf("gemm %d\n", cublasSgemm_v2(handle, 0, 0, 7, 8, 9, &one, matrix, 7, matrix, 9, &one, matrix, 7));
  printf("destroy %d\n", cublasDestroy_v2(handle));

  void *dnn = NULL, *x = NULL, *y = NULL, *w = NULL, *convolution = NULL;
  printf("create %d\n", cudnnCreate(&dnn));
  printf("descriptors %d %d %d %d\n", cudnnCreateTensorDescriptor(&x), cudnnCreateTensorDescriptor(&y),
         cudnnCreateFilterDescriptor(&w), cudnnCreateConvolutionDescriptor(&convolution));
  cudnnSetTensor4dDescriptor(x, 0, 2, 8, 64, 56, 56);
  cudnnSetTensor4dDescriptor(y, 0, 2, 8, 128, 56, 56);
  cudnnSetFilter4dDescriptor(w, 2, 0, 128, 64, 3, 3);
  cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, 1, 0);
  printf("convolution %d\n",
         cudnnConvolutionForward(dnn, &one, x, matrix, w, matrix, convolution, 1, matrix, 4, &one, y, matrix));
  printf("no descriptor %d\n",
         cudnnConvolutionForward(dnn, &one, NULL, matrix, w, matrix, convolution, 1, matrix, 4, &one, y, matrix));
  void* plan = NULL;
  printf("plan %d\n", cudnnBackendCreateDescriptor(5, &plan));
  printf("unfinished %d\n", cudnnBackendExecute(dnn, plan, NULL));
  printf("finalize %d\n", cudnnBackendFinalize(plan));
  printf("execute %d\n", cudnnBackendExecute(dnn, plan, NULL));
  printf("execute %d\n", cudnnBackendExecute(dnn, plan, NULL));
  printf("destroy %d\n", cudnnDestroy(dnn));
  return 0;
}
