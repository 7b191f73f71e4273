/* libcublasLt.so.CUDA_MAJOR: descriptors that keep what is set, and a matrix product whose kernels compute nothing. */
#include <stdint.h>

#include "behaviour.h"
#include "driver_launch.h"

#define EXPORT __attribute__((visibility("default")))

enum { kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kAttributes = 64 };

/* As much as the real one and what it needs have. The C library takes it out of the stack of every thread that is
 * started. */
static __thread volatile char thread_local_storage[112 * 1024];

/* Of either kind: attributes by number, each at most 8 bytes. */
typedef struct {
  uint32_t size[kAttributes];
  uint64_t value[kAttributes];
} descriptor;

static descriptor* make(void) { return calloc(1, sizeof(descriptor)); }

static int set(descriptor* into, int attribute, const void* from, size_t size) {
  if (into == NULL || attribute < 0 || attribute >= kAttributes || size > 8) return kInvalidValue;
  into->size[attribute] = (uint32_t)size;
  memcpy(&into->value[attribute], from, size);
  return kSuccess;
}
static int get(const descriptor* from, int attribute, void* into, size_t size, size_t* written) {
  if (from == NULL || attribute < 0 || attribute >= kAttributes || from->size[attribute] == 0) return kInvalidValue;
  if (written != NULL) *written = from->size[attribute];
  if (size == 0) return written == NULL ? kInvalidValue : kSuccess;
  if (size < from->size[attribute]) return kInvalidValue;
  memcpy(into, &from->value[attribute], from->size[attribute]);
  return kSuccess;
}
static uint64_t value_of(const descriptor* from, int attribute) { return from == NULL ? 0 : from->value[attribute]; }

EXPORT int cublasLtCreate(void** handle) {
  *handle = malloc(1);
  thread_local_storage[0] = 1;
  return behave("cublasLtCreate", "%s", "");
}
EXPORT int cublasLtDestroy(void* handle) {
  free(handle);
  return behave("cublasLtDestroy", "%s", "");
}
EXPORT size_t cublasLtGetVersion(void) { return CUDA_MAJOR * 10000; }

EXPORT int cublasLtMatmulDescCreate(descriptor** created, int compute_type, int scale_type) {
  const int32_t none = 0;
  *created = make();
  set(*created, 0, &compute_type, 4);
  set(*created, 1, &scale_type, 4);
  for (int attribute = 2; attribute <= 5; ++attribute) set(*created, attribute, &none, 4);
  const int32_t default_epilogue = 1;
  set(*created, 7, &default_epilogue, 4);
  return kSuccess;
}
EXPORT int cublasLtMatmulDescDestroy(descriptor* destroyed) {
  free(destroyed);
  return kSuccess;
}
EXPORT int cublasLtMatmulDescSetAttribute(descriptor* into, int attribute, const void* from, size_t size) {
  return set(into, attribute, from, size);
}
EXPORT int cublasLtMatmulDescGetAttribute(const descriptor* from, int attribute, void* into, size_t size,
                                          size_t* written) {
  return get(from, attribute, into, size, written);
}

EXPORT int cublasLtMatrixLayoutCreate(descriptor** created, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  const int32_t one = 1;
  const int32_t order = 0;
  const int64_t stride = 0;
  *created = make();
  set(*created, 0, &type, 4);
  set(*created, 1, &order, 4);
  set(*created, 2, &rows, 8);
  set(*created, 3, &columns, 8);
  set(*created, 4, &ld, 8);
  set(*created, 5, &one, 4);
  set(*created, 6, &stride, 8);
  return kSuccess;
}
EXPORT int cublasLtMatrixLayoutDestroy(descriptor* destroyed) {
  free(destroyed);
  return kSuccess;
}
EXPORT int cublasLtMatrixLayoutSetAttribute(descriptor* into, int attribute, const void* from, size_t size) {
  return set(into, attribute, from, size);
}
EXPORT int cublasLtMatrixLayoutGetAttribute(const descriptor* from, int attribute, void* into, size_t size,
                                            size_t* written) {
  return get(from, attribute, into, size, written);
}

EXPORT int cublasLtMatmul(void* handle, const descriptor* description, const void* alpha, const void* a,
                          const descriptor* a_layout, const void* b, const descriptor* b_layout, const void* beta,
                          const void* c, const descriptor* c_layout, void* d, const descriptor* d_layout,
                          const void* algorithm, void* workspace, size_t workspace_size, void* stream) {
  (void)handle, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)c_layout, (void)d, (void)algorithm;
  (void)workspace, (void)b_layout;
  const int transposed = (int)value_of(description, 3);
  const int m = (int)value_of(d_layout, 2);
  const int k = (int)value_of(a_layout, transposed ? 2 : 3);
  const int status = behave("cublasLtMatmul", "m=%d n=%d k=%d epilogue=%d workspace=%zu", m, (int)value_of(d_layout, 3),
                            k, (int)value_of(description, 7), workspace_size);
  if (status != kSuccess) return status;
  const unsigned blocks = m > 0 ? (unsigned)((m + 127) / 128) : 1;
  if (run_kernel("cublasLtMatmul", "sm90_xmma_gemm_f16f16_128x128", blocks, 256, stream) != 0) return kExecutionFailed;
  /* A long sum is split over blocks, whose results a second kernel adds. */
  if (k >= 4096 && run_kernel("cublasLtMatmul", "splitKreduce_kernel", blocks, 512, stream) != 0)
    return kExecutionFailed;
  return kSuccess;
}
