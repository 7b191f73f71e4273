/* The calls of cuda_calls.py, by the real headers. Linked to the libraries; or, compiled with -DLOADED, loads those
 * named by its arguments (cuBLAS, cuBLASLt, cuDNN) with RTLD_LOCAL and looks every function up. */
#define _GNU_SOURCE
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cudnn.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *cublas, *cublaslt, *cudnn;

#ifdef LOADED
static void* function_of(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) abort();
  return found;
}
#define FUNCTION(library, name) ((__typeof__(&name))function_of(library, #name))
#else
#define FUNCTION(library, name) name
#endif
#define CALL(library, name, ...)                                       \
  printf("%s %d\n", #name, (int)FUNCTION(library, name)(__VA_ARGS__)); \
  say_last_error(#name)
#define GIVE(library, name, ...) \
  if (FUNCTION(library, name)(__VA_ARGS__) != 0) exit(9)

/* cuDNN gives the text once. */
static void say_last_error(const char* name) {
  char text[1000] = "";
  if (strncmp(name, "cudnn", 5) != 0) return;
  FUNCTION(cudnn, cudnnGetLastErrorString)(text, sizeof text);
  for (char* end; (end = strchr(text, '\n')) != NULL;) *end = ' ';
  printf("  %s\n", text);
}

static float one = 1, zero = 0;
static void *const a = (void*)0x1000, *const b = (void*)0x1000, *const c = (void*)0x1000; /* never read */

static cublasLtMatrixLayout_t layout(cudaDataType type, uint64_t rows, uint64_t columns, int64_t leading, int32_t batch,
                                     int64_t stride, int32_t order) {
  cublasLtMatrixLayout_t made;
  GIVE(cublaslt, cublasLtMatrixLayoutCreate, &made, type, rows, columns, leading);
  if (batch > 0) {
    GIVE(cublaslt, cublasLtMatrixLayoutSetAttribute, made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    GIVE(cublaslt, cublasLtMatrixLayoutSetAttribute, made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
         sizeof stride);
  }
  GIVE(cublaslt, cublasLtMatrixLayoutSetAttribute, made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
  return made;
}

static cublasLtMatmulDesc_t product(cublasComputeType_t compute, int32_t op_a, int32_t op_b, uint32_t epilogue) {
  cublasLtMatmulDesc_t made;
  GIVE(cublaslt, cublasLtMatmulDescCreate, &made, compute, CUDA_R_32F);
  GIVE(cublaslt, cublasLtMatmulDescSetAttribute, made, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a);
  GIVE(cublaslt, cublasLtMatmulDescSetAttribute, made, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b);
  GIVE(cublaslt, cublasLtMatmulDescSetAttribute, made, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  return made;
}

static void matmul(cublasLtMatmulDesc_t made, cublasLtMatrixLayout_t a_layout, cublasLtMatrixLayout_t b_layout,
                   cublasLtMatrixLayout_t c_layout, cublasLtMatrixLayout_t d_layout) {
  CALL(cublaslt, cublasLtMatmul, NULL, made, &one, a, a_layout, b, b_layout, &zero, c, c_layout, c, d_layout, NULL,
       NULL, 4096, NULL);
}

static cudnnTensorDescriptor_t tensor(cudnnDataType_t type, cudnnTensorFormat_t format, int n, int channels, int h,
                                      int w) {
  cudnnTensorDescriptor_t made;
  GIVE(cudnn, cudnnCreateTensorDescriptor, &made);
  GIVE(cudnn, cudnnSetTensor4dDescriptor, made, format, type, n, channels, h, w);
  return made;
}

static cudnnSeqDataDescriptor_t words(int vector, int longest) {
  cudnnSeqDataDescriptor_t made;
  const int sizes[] = {longest, 4, 1, vector}, lengths[] = {longest, longest, longest, longest};
  const cudnnSeqDataAxis_t axes[] = {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM,
                                     CUDNN_SEQDATA_VECT_DIM};
  GIVE(cudnn, cudnnCreateSeqDataDescriptor, &made);
  GIVE(cudnn, cudnnSetSeqDataDescriptor, made, CUDNN_DATA_HALF, 4, sizes, axes, 4, lengths, NULL);
  return made;
}

int main(int argc, char** argv) {
#ifdef LOADED
  if (argc != 4) return 2;
  void** const libraries[] = {&cublas, &cublaslt, &cudnn};
  for (int i = 0; i < 3; ++i) *libraries[i] = dlopen(argv[i + 1], RTLD_NOW | RTLD_LOCAL);
#else
  (void)argc, (void)argv, (void)cublas, (void)cublaslt, (void)cudnn;
#endif
  cublasHandle_t blas_handle; /* created with a device only */
  cublasLtHandle_t lt_handle;
  cudnnHandle_t dnn_handle;
  CALL(cublas, cublasCreate_v2, &blas_handle);
  CALL(cublaslt, cublasLtCreate, &lt_handle);
  CALL(cudnn, cudnnCreate, &dnn_handle);
  const double one64 = 1, zero64 = 0;
  CALL(cublas, cublasSgemm_v2, NULL, CUBLAS_OP_N, CUBLAS_OP_T, 128, 64, 32, &one, a, 128, b, 64, &zero, c, 128);
  CALL(cublas, cublasDgemm_v2_64, NULL, CUBLAS_OP_T, CUBLAS_OP_N, 5000000000, 7, 11, &one64, a, 11, b, 11, &zero64, c,
       5000000000);
  CALL(cublas, cublasGemmEx, NULL, CUBLAS_OP_T, CUBLAS_OP_N, 30, 20, 10, &one, a, CUDA_R_16F, 10, b, CUDA_R_16F, 10,
       &zero, c, CUDA_R_32F, 30, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
  CALL(cublas, cublasGemmStridedBatchedEx, NULL, CUBLAS_OP_N, CUBLAS_OP_C, 17, 13, 19, &one, a, CUDA_R_16BF, 17,
       17 * 19, b, CUDA_R_16BF, 13, 13 * 19, &zero, c, CUDA_R_16BF, 17, 17 * 13, 6, CUBLAS_COMPUTE_32F_FAST_TF32,
       CUBLAS_GEMM_DEFAULT);
  CALL(cublas, cublasSgemv_v2, NULL, CUBLAS_OP_T, 40, 50, &one, a, 40, b, 1, &zero, c, 1);

  cublasLtMatrixLayout_t d = layout(CUDA_R_16F, 96, 48, 96, 0, 0, CUBLASLT_ORDER_COL);
  matmul(product(CUBLAS_COMPUTE_32F, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_RELU_BIAS),
         layout(CUDA_R_16F, 24, 96, 24, 0, 0, CUBLASLT_ORDER_COL),
         layout(CUDA_R_16F, 24, 48, 24, 0, 0, CUBLASLT_ORDER_COL), d, d);
  matmul(product(CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_OP_N, CUBLAS_OP_T, CUBLASLT_EPILOGUE_DEFAULT),
         layout(CUDA_R_32F, 8, 16, 16, 5, 128, CUBLASLT_ORDER_ROW),
         layout(CUDA_R_32F, 12, 16, 16, 5, 192, CUBLASLT_ORDER_ROW),
         layout(CUDA_R_32F, 8, 12, 12, 5, 96, CUBLASLT_ORDER_ROW),
         layout(CUDA_R_32F, 8, 12, 12, 5, 96, CUBLASLT_ORDER_ROW));
  matmul(product(CUBLAS_COMPUTE_32F, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_GELU),
         layout(CUDA_R_16BF, 70, 80, 70, 0, 0, CUBLASLT_ORDER_COL),
         layout(CUDA_R_16BF, 80, 90, 80, 0, 0, CUBLASLT_ORDER_COL),
         layout(CUDA_R_32F, 70, 90, 70, 0, 0, CUBLASLT_ORDER_COL),
         layout(CUDA_R_16BF, 70, 90, 70, 0, 0, CUBLASLT_ORDER_COL));

  cudnnTensorDescriptor_t x = tensor(CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, 8, 64, 56, 56);
  cudnnTensorDescriptor_t y = tensor(CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, 8, 128, 28, 28);
  cudnnFilterDescriptor_t w;
  GIVE(cudnn, cudnnCreateFilterDescriptor, &w);
  GIVE(cudnn, cudnnSetFilter4dDescriptor, w, CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, 128, 32, 3, 3);
  cudnnConvolutionDescriptor_t convolution;
  GIVE(cudnn, cudnnCreateConvolutionDescriptor, &convolution);
  GIVE(cudnn, cudnnSetConvolution2dDescriptor, convolution, 1, 2, 2, 3, 1, 1, CUDNN_CROSS_CORRELATION,
       CUDNN_DATA_FLOAT);
  GIVE(cudnn, cudnnSetConvolutionGroupCount, convolution, 2);
  GIVE(cudnn, cudnnSetConvolutionMathType, convolution, CUDNN_TENSOR_OP_MATH);
  CALL(cudnn, cudnnConvolutionForward, NULL, &one, x, a, w, b, convolution,
       CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, c, 12345, &zero, y, c);

  x = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 3, 10, 12);
  cudnnTensorDescriptor_t pooled = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 3, 5, 4);
  cudnnPoolingDescriptor_t pooling;
  GIVE(cudnn, cudnnCreatePoolingDescriptor, &pooling);
  GIVE(cudnn, cudnnSetPooling2dDescriptor, pooling, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
       CUDNN_NOT_PROPAGATE_NAN, 2, 3, 0, 1, 2, 3);
  CALL(cudnn, cudnnPoolingForward, NULL, pooling, &one, x, a, &zero, pooled, c);
  cudnnActivationDescriptor_t activation;
  GIVE(cudnn, cudnnCreateActivationDescriptor, &activation);
  GIVE(cudnn, cudnnSetActivationDescriptor, activation, CUDNN_ACTIVATION_CLIPPED_RELU, CUDNN_NOT_PROPAGATE_NAN, 6.5);
  CALL(cudnn, cudnnActivationForward, NULL, activation, &one, x, a, &zero, x, c);
  CALL(cudnn, cudnnSoftmaxForward, NULL, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, x, a, &zero, x, c);
  cudnnTensorDescriptor_t channels = tensor(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 3, 1, 1);
  CALL(cudnn, cudnnBatchNormalizationForwardInference, NULL, CUDNN_BATCHNORM_SPATIAL, NULL, NULL, x, a, x, c, channels,
       b, b, b, b, 1e-5);

  cudnnTensorDescriptor_t strided;
  const int sizes[] = {2, 3, 4, 5, 6}, strides[] = {480, 160, 40, 8, 1};
  GIVE(cudnn, cudnnCreateTensorDescriptor, &strided);
  GIVE(cudnn, cudnnSetTensorNdDescriptor, strided, CUDNN_DATA_DOUBLE, 5, sizes, strides);
  CALL(cudnn, cudnnAddTensor, NULL, &one, strided, a, &zero, strided, c);

  cudnnRNNDescriptor_t rnn;
  GIVE(cudnn, cudnnCreateRNNDescriptor, &rnn);
  GIVE(cudnn, cudnnSetRNNDescriptor_v8, rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
       CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH, 512, 256, 256,
       3, NULL, 0);
  const int lengths[] = {7, 5, 3, 1};
  cudnnRNNDataDescriptor_t sequence, outputs;
  GIVE(cudnn, cudnnCreateRNNDataDescriptor, &sequence);
  GIVE(cudnn, cudnnSetRNNDataDescriptor, sequence, CUDNN_DATA_HALF, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 7, 4, 512,
       lengths, NULL);
  GIVE(cudnn, cudnnCreateRNNDataDescriptor, &outputs);
  GIVE(cudnn, cudnnSetRNNDataDescriptor, outputs, CUDNN_DATA_HALF, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 7, 4, 512,
       lengths, NULL);
  cudnnTensorDescriptor_t hidden;
  const int hidden_sizes[] = {6, 4, 256}, hidden_strides[] = {1024, 256, 1};
  GIVE(cudnn, cudnnCreateTensorDescriptor, &hidden);
  GIVE(cudnn, cudnnSetTensorNdDescriptor, hidden, CUDNN_DATA_HALF, 3, hidden_sizes, hidden_strides);
  CALL(cudnn, cudnnRNNForward, NULL, rnn, CUDNN_FWD_MODE_INFERENCE, NULL, sequence, a, outputs, c, hidden, NULL, NULL,
       hidden, NULL, NULL, 1000, b, 2000, c, 0, NULL);

  cudnnOpTensorDescriptor_t combination;
  GIVE(cudnn, cudnnCreateOpTensorDescriptor, &combination);
  GIVE(cudnn, cudnnSetOpTensorDescriptor, combination, CUDNN_OP_TENSOR_MUL, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN);
  CALL(cudnn, cudnnOpTensor, NULL, combination, &one, x, a, &one, x, b, &zero, x, c);
  cudnnReduceTensorDescriptor_t reduction;
  GIVE(cudnn, cudnnCreateReduceTensorDescriptor, &reduction);
  GIVE(cudnn, cudnnSetReduceTensorDescriptor, reduction, CUDNN_REDUCE_TENSOR_NORM2, CUDNN_DATA_FLOAT,
       CUDNN_NOT_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES);
  CALL(cudnn, cudnnReduceTensor, NULL, reduction, NULL, 0, c, 64, &one, x, a, &zero, channels, c);
  cudnnTensorTransformDescriptor_t transformation;
  const int32_t before[] = {0, 0, 1, 2}, behind[] = {0, 0, 3, 4};
  GIVE(cudnn, cudnnCreateTensorTransformDescriptor, &transformation);
  GIVE(cudnn, cudnnSetTensorTransformDescriptor, transformation, 4, CUDNN_TENSOR_NHWC, before, behind, NULL,
       CUDNN_TRANSFORM_FOLD);
  CALL(cudnn, cudnnTransformTensorEx, NULL, transformation, &one, x, a, &zero, x, c);
  cudnnAttnDescriptor_t attention;
  GIVE(cudnn, cudnnCreateAttnDescriptor, &attention);
  GIVE(cudnn, cudnnSetAttnDescriptor, attention, 0, 8, 0.125, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH,
       NULL, NULL, 512, 256, 128, 64, 64, 32, 1024, 20, 30, 4, 1);
  CALL(cudnn, cudnnMultiHeadAttnForward, NULL, attention, -1, NULL, NULL, NULL, NULL, words(512, 20), a, NULL,
       words(256, 30), a, words(128, 30), a, words(1024, 20), c, 100, b, 200, c, 0, NULL);

  cudnnFilterDescriptor_t empty;
  GIVE(cudnn, cudnnCreateFilterDescriptor, &empty);
  CALL(cudnn, cudnnConvolutionForward, NULL, &one, x, a, empty, b, convolution,
       CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, NULL, 0, &zero, NULL, c);
  return 0;
}
