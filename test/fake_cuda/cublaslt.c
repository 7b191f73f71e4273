/* libcublasLt.so.CUDA_MAJOR: descriptors that keep what is set, and a matrix product that is computed where it is small
 * and its memory is a device's. Algorithms do what FAKE_CUBLASLT_ALGORITHMS says, one word for each that the heuristics
 * tell: right (as all of the default right,right), wrong, refuse, hang, abort, break (the device). */
#include <stdint.h>
#include <unistd.h>

#include "behaviour.h"
#include "driver_launch.h"
#include "product.h"

#define EXPORT __attribute__((visibility("default")))

enum { kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15, kAttributes = 64 };
enum { kMostAlgorithms = 16, kFirstAlgorithm = 21, kIllegalAddress = 700 };

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
EXPORT int cublasLtGetProperty(int type, int* value) {
  if (type < 0 || type > 2) return kInvalidValue;
  *value = type == 0 ? CUDA_MAJOR : 0;
  return kSuccess;
}

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

EXPORT int cublasLtMatmulPreferenceCreate(descriptor** created) {
  *created = make();
  return kSuccess;
}
EXPORT int cublasLtMatmulPreferenceDestroy(descriptor* destroyed) {
  free(destroyed);
  return kSuccess;
}
EXPORT int cublasLtMatmulPreferenceSetAttribute(descriptor* into, int attribute, const void* from, size_t size) {
  return set(into, attribute, from, size);
}

/* cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t. */
typedef struct {
  uint64_t data[8]; /* number, tile, stages */
} algorithm;
typedef struct {
  algorithm algo;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} heuristic_result;

/* What an algorithm does: the word at its place in the list; empty behind its end. */
static void word_of(uint64_t number, char* word, size_t size) {
  const char* list = getenv("FAKE_CUBLASLT_ALGORITHMS");
  if (list == NULL) list = "right,right";
  for (; number > kFirstAlgorithm && *list != 0; --number) {
    list += strcspn(list, ",");
    list += *list == ',';
  }
  snprintf(word, size, "%.*s", (int)strcspn(list, ","), list);
}

/* Of FP8 and bytes only products of a transposed first matrix, and of lengths that are multiples of 16 or 4. */
static int is_supported(const descriptor* description, const descriptor* a, const descriptor* d) {
  const int type = (int)value_of(a, 0);
  if (type != kTypeF8E4M3 && type != kTypeI8) return 1;
  const uint64_t unit = type == kTypeI8 ? 4 : 16;
  return value_of(description, 3) == 1 && value_of(description, 4) == 0 && value_of(a, 2) % unit == 0 &&
         value_of(d, 2) % unit == 0;
}

EXPORT int cublasLtMatmulAlgoGetHeuristic(void* handle, const descriptor* description, const descriptor* a,
                                          const descriptor* b, const descriptor* c, const descriptor* d,
                                          const descriptor* preference, int asked, heuristic_result* results,
                                          int* found) {
  (void)b, (void)c;
  *found = 0;
  if (handle == NULL || preference == NULL || asked < 1) return kInvalidValue;
  if ((value_of(description, 7) & 4) != 0 && value_of(description, 8) == 0) return kInvalidValue;
  const int status =
      behave("cublasLtMatmulAlgoGetHeuristic", "asked=%d workspace=%d", asked, (int)value_of(preference, 1));
  if (status != kSuccess) return status;
  if (!is_supported(description, a, d)) return kNotSupported;
  char word[16];
  for (uint64_t i = 0; i < kMostAlgorithms && *found < asked; ++i) {
    word_of(kFirstAlgorithm + i, word, sizeof word);
    if (word[0] == 0) break;
    const heuristic_result result = {.algo = {{kFirstAlgorithm + i, 15 + i, i}}, .workspace = i * 256, .waves = 1};
    results[(*found)++] = result;
  }
  return *found == 0 ? kNotSupported : kSuccess;
}
EXPORT int cublasLtMatmulAlgoConfigGetAttribute(const algorithm* from, int attribute, void* into, size_t size,
                                                size_t* written) {
  const uint32_t values[] = {(uint32_t)from->data[0], (uint32_t)from->data[1], 1, 0, 0, 0, (uint32_t)from->data[2]};
  if (attribute < 0 || attribute > 6 || size < 4) return kInvalidValue;
  memcpy(into, &values[attribute], 4);
  if (written != NULL) *written = 4;
  return kSuccess;
}

/* What an algorithm does instead of its product. */
static int misbehave(const algorithm* chosen, void* workspace, size_t workspace_size, int* is_wrong) {
  char word[16];
  *is_wrong = 0;
  if (chosen == NULL) return kSuccess;
  const size_t needed = (size_t)(chosen->data[0] - kFirstAlgorithm) * 256;
  if (workspace_size < needed || (needed != 0 && !is_on_device(workspace, needed))) return kInvalidValue;
  word_of(chosen->data[0], word, sizeof word);
  if (strcmp(word, "refuse") == 0) return kNotSupported;
  while (strcmp(word, "hang") == 0) pause();
  if (strcmp(word, "abort") == 0) {
    fputs("an assertion of the algorithm failed\n", stderr);
    abort();
  }
  if (strcmp(word, "break") == 0) fake_driver_functions()->table->break_device(kIllegalAddress);
  *is_wrong = strcmp(word, "wrong") == 0;
  return kSuccess;
}

static double scalar(int type, const void* from) { return from == NULL ? 0 : read_number(type, from, 0); }

static product_matrix matrix_of(const descriptor* layout, const void* data) {
  const product_matrix matrix = {data,
                                 (int)value_of(layout, 0),
                                 (int64_t)value_of(layout, 2),
                                 (int64_t)value_of(layout, 3),
                                 (int64_t)value_of(layout, 4),
                                 (int64_t)value_of(layout, 6)};
  return matrix;
}

EXPORT int cublasLtMatmul(void* handle, const descriptor* description, const void* alpha, const void* a,
                          const descriptor* a_layout, const void* b, const descriptor* b_layout, const void* beta,
                          const void* c, const descriptor* c_layout, void* d, const descriptor* d_layout,
                          const algorithm* chosen, void* workspace, size_t workspace_size, void* stream) {
  (void)handle;
  const int transposed = (int)value_of(description, 3);
  const int m = (int)value_of(d_layout, 2);
  const int k = (int)value_of(a_layout, transposed ? 2 : 3);
  const int status = behave("cublasLtMatmul", "m=%d n=%d k=%d epilogue=%d workspace=%zu", m, (int)value_of(d_layout, 3),
                            k, (int)value_of(description, 7), workspace_size);
  int is_wrong;
  if (status != kSuccess) return status;
  const int failure = misbehave(chosen, workspace, workspace_size, &is_wrong);
  if (failure != kSuccess) return failure;
  const unsigned blocks = m > 0 ? (unsigned)((m + 127) / 128) : 1;
  if (run_kernel("cublasLtMatmul", "sm90_xmma_gemm_f16f16_128x128", blocks, 256, stream) != 0) return kExecutionFailed;
  /* A long sum is split over blocks, whose results a second kernel adds. */
  if (k >= 4096 && run_kernel("cublasLtMatmul", "splitKreduce_kernel", blocks, 512, stream) != 0)
    return kExecutionFailed;
  if (!is_on_device(d, 1)) return kSuccess;
  const int epilogue = (int)value_of(description, 7);
  const int scale = (int)value_of(description, 1);
  const product computed = {
      .a = matrix_of(a_layout, a),
      .b = matrix_of(b_layout, b),
      .c = matrix_of(c_layout, c),
      .d = matrix_of(d_layout, d),
      .transposed_a = transposed,
      .transposed_b = (int)value_of(description, 4),
      .batches = (int64_t)value_of(d_layout, 5),
      .alpha = scalar(scale, alpha),
      .beta = scalar(scale, beta),
      .bias = (epilogue & 4) != 0 ? (const void*)value_of(description, 8) : NULL,
      .bias_type = description->size[26] != 0 ? (int)value_of(description, 26) : (int)value_of(d_layout, 0),
      .activation = epilogue & (2 | 32),
      .is_wrong = is_wrong};
  compute_product_on_stream(&computed, stream);
  return kSuccess;
}
