/* libcudnn_graph.so.9: handles and the backend. A plan says of itself what FAKE_CUDA_PLAN has, or a convolution. */
#include <stdint.h>

#include "behaviour.h"
#include "driver_launch.h"

#define EXPORT __attribute__((visibility("default")))

enum { kBadParam = 2000, kNotFinalized = 3000, kPlan = 5, kPlanJson = 405, kTypeChar = 24, kExecutionFailed = 5000 };

typedef struct {
  int type;
  int finalized;
} descriptor;
typedef struct {
  void* stream;
} handle_contents;

static const char kConvolution[] =
    "{\"version\":{\"major\":1,\"minor\":0},\"operations\":[{\"type\":\"CONVOLUTION_FORWARD\",\"x\":\"1\",\"w\":\"2\","
    "\"y\":\"3\"}],\"tensors\":{\"1\":{\"dim\":[8,64,56,56],\"data_type\":\"HALF\"}},\"engine\":{\"index\":0}}";

EXPORT int cudnnCreate(handle_contents** handle) {
  *handle = calloc(1, sizeof **handle);
  return behave("cudnnCreate", "%s", "");
}
EXPORT int cudnnDestroy(handle_contents* handle) {
  free(handle);
  return behave("cudnnDestroy", "%s", "");
}
EXPORT int cudnnSetStream(handle_contents* handle, void* stream) {
  handle->stream = stream;
  return 0;
}
EXPORT int cudnnGetStream(handle_contents* handle, void** stream) {
  *stream = handle->stream;
  return 0;
}
EXPORT int cudnnBackendCreateDescriptor(int type, descriptor** created) {
  *created = calloc(1, sizeof **created);
  (*created)->type = type;
  return behave("cudnnBackendCreateDescriptor", "type=%d", type);
}
EXPORT int cudnnBackendDestroyDescriptor(descriptor* destroyed) {
  free(destroyed);
  return behave("cudnnBackendDestroyDescriptor", "%s", "");
}
EXPORT int cudnnBackendSetAttribute(descriptor* into, int name, int type, int64_t count, const void* elements) {
  (void)name, (void)type, (void)count, (void)elements;
  return into == NULL || into->finalized ? kBadParam : 0;
}
EXPORT int cudnnBackendFinalize(descriptor* finalized) {
  if (finalized == NULL) return kBadParam;
  finalized->finalized = 1;
  return behave("cudnnBackendFinalize", "type=%d", finalized->type);
}
EXPORT int cudnnBackendGetAttribute(descriptor* from, int name, int type, int64_t requested, int64_t* count,
                                    void* elements) {
  if (from == NULL || !from->finalized) return kNotFinalized;
  if (from->type != kPlan || name != kPlanJson || type != kTypeChar) return kBadParam;
  const char* text = getenv("FAKE_CUDA_PLAN") != NULL ? getenv("FAKE_CUDA_PLAN") : kConvolution;
  const int64_t length = (int64_t)strlen(text) + 1;
  if (count != NULL) *count = length;
  if (elements != NULL) memcpy(elements, text, (size_t)(requested < length ? requested : length));
  return behave("cudnnBackendGetAttribute", "name=%d", name);
}
EXPORT int cudnnBackendExecute(handle_contents* handle, descriptor* plan, descriptor* variants) {
  (void)variants;
  const int status = behave("cudnnBackendExecute", "plan=%p", (void*)plan);
  if (plan == NULL || !plan->finalized) return kBadParam;
  if (status != 0) return status;
  return run_kernel("cudnnBackendExecute", "cudnn_generated_fort_native_conv", 64, 256, handle->stream) == 0
             ? 0
             : kExecutionFailed;
}
