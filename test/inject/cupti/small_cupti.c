/* A libcupti for unit tests, as small as can be: records that the test writes itself go through the buffers of whoever
 * registered, and what is called is counted. test/fake_cuda has one that behaves. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XSP_TEST_EXPORT __attribute__((visibility("default")))

typedef void buffer_requested(uint8_t** buffer, size_t* bytes, size_t* max_records);
typedef void buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

static buffer_requested* requested;
static buffer_completed* completed;
static uint8_t* buffer;
static size_t buffer_bytes;
static size_t used;
static size_t dropped;
static _Atomic uint64_t enabled;
static int subscribers;
static void* subscribed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int setting(const char* name, int otherwise) {
  const char* value = getenv(name);
  return value == NULL ? otherwise : atoi(value);
}

/* Size of a record by its kind, as CUDA 13.0 has them. */
static size_t record_bytes(int kind) {
  switch (kind) {
    case 1:
      return 96;
    case 2:
      return 88;
    case 4:
    case 5:
      return 40;
    case 10:
      return 216;
    case 17:
      return 56;
    case 22:
      return 96;
    case 38:
      return 56;
    case 49:
      return 128;
    default:
      return 0;
  }
}

static void complete(void) {
  uint8_t* full = buffer;
  buffer = NULL;
  if (full != NULL) completed(NULL, 0, full, buffer_bytes, used);
}

static void put(const uint8_t* record) {
  const size_t bytes = record_bytes(*(const int*)record);
  size_t most = 0;
  if (buffer != NULL && used + bytes > buffer_bytes) complete();
  if (buffer == NULL) {
    requested(&buffer, &buffer_bytes, &most);
    used = 0;
  }
  if (buffer == NULL) {
    ++dropped;
    return;
  }
  memcpy(buffer + used, record, bytes);
  used += bytes;
}
/* For the test: the device has done this. */
XSP_TEST_EXPORT void small_cupti_emit(const uint8_t* record) {
  pthread_mutex_lock(&lock);
  put(record);
  pthread_mutex_unlock(&lock);
}
/* As an injection library of the user's. */
static int injections;
XSP_TEST_EXPORT int InitializeInjection(void) {
  ++injections;
  return 1;
}
XSP_TEST_EXPORT int small_cupti_injections(void) { return injections; }
XSP_TEST_EXPORT uint64_t small_cupti_enabled_kinds(void) { return enabled; }
XSP_TEST_EXPORT int small_cupti_subscribers(void) { return subscribers; }
XSP_TEST_EXPORT int small_cupti_has_buffers(void) { return requested != NULL; }

XSP_TEST_EXPORT int cuptiGetVersion(uint32_t* version) {
  *version = (uint32_t)setting("SMALL_CUPTI_VERSION", 130001);
  return 0;
}
XSP_TEST_EXPORT int cuptiGetTimestamp(uint64_t* time) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  return 0;
}
XSP_TEST_EXPORT int cuptiGetResultString(int result, const char** text) {
  *text = result == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : "CUPTI_ERROR_UNKNOWN";
  return 0;
}
XSP_TEST_EXPORT int cuptiSetThreadIdType(int type) { return type == 1 ? 0 : 1; }
XSP_TEST_EXPORT int cuptiSubscribe(void** subscriber, void* callback, void* user_data) {
  (void)user_data;
  const int result = subscriber == NULL ? 1 : setting("SMALL_CUPTI_SUBSCRIBE", 0);
  if (result != 0) return result;
  if (subscribers > 0) return 39;
  ++subscribers;
  subscribed = callback;
  *subscriber = &subscribers;
  return 0;
}
/* The function of who subscribed last. */
XSP_TEST_EXPORT void* small_cupti_callback(void) { return subscribed; }
struct subscribe_parameters {
  size_t size;
  const char* name;
  char* old_name;
  size_t old_name_bytes;
};
XSP_TEST_EXPORT int cuptiSubscribe_v2(void** subscriber, void* callback, void* user_data,
                                      struct subscribe_parameters* parameters) {
  const char* holder = getenv("SMALL_CUPTI_HOLDER");
  if (holder != NULL && strlen(holder) < parameters->old_name_bytes) strcpy(parameters->old_name, holder);
  return cuptiSubscribe(subscriber, callback, user_data);
}
XSP_TEST_EXPORT int cuptiUnsubscribe(void* subscriber) {
  (void)subscriber;
  --subscribers;
  return 0;
}
XSP_TEST_EXPORT int cuptiEnableCallback(uint32_t enable, void* subscriber, int domain, uint32_t callback) {
  (void)enable;
  (void)subscriber;
  (void)domain;
  (void)callback;
  return 0;
}
XSP_TEST_EXPORT int cuptiGetCallbackName(int domain, uint32_t callback, const char** name) {
  (void)callback;
  *name = domain == 1 ? "cuLaunchKernel" : "cudaLaunchKernel_v7000";
  return 0;
}
XSP_TEST_EXPORT int cuptiActivityEnable(int kind) {
  if (record_bytes(kind) == 0) return 6;
  const int result = kind == setting("SMALL_CUPTI_REFUSES", 0) ? 19 : setting("SMALL_CUPTI_ENABLE", 0);
  if (result == 0) enabled |= (uint64_t)1 << kind;
  return result;
}
XSP_TEST_EXPORT int cuptiActivityDisable(int kind) {
  enabled &= ~((uint64_t)1 << kind);
  return 0;
}
XSP_TEST_EXPORT int cuptiActivityRegisterCallbacks(buffer_requested* request, buffer_completed* complete_function) {
  requested = request;
  completed = complete_function;
  return 0;
}
XSP_TEST_EXPORT int cuptiActivityFlushAll(uint32_t flags) {
  /* Not to be told from outside: how far the test has come is in the flag only. */
  pthread_mutex_lock(&lock);
  if (setting("SMALL_CUPTI_KEEP", 0) == 0 && (flags == 1 || setting("SMALL_CUPTI_FLUSH", 0) != 0)) complete();
  pthread_mutex_unlock(&lock);
  return 0;
}
XSP_TEST_EXPORT int cuptiActivityGetNextRecord(uint8_t* from, size_t valid, uint8_t** record) {
  uint8_t* next = *record == NULL ? from : *record + record_bytes(*(const int*)*record);
  if (next >= from + valid) return 12;
  *record = next;
  return 0;
}
XSP_TEST_EXPORT int cuptiActivityGetNumDroppedRecords(void* context, uint32_t stream, size_t* count) {
  (void)context;
  (void)stream;
  pthread_mutex_lock(&lock);
  *count = dropped;
  dropped = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}
XSP_TEST_EXPORT int cuptiFinalize(void) {
  enabled = 0;
  subscribers = 0;
  requested = NULL;
  completed = NULL;
  return 0;
}
static int per_thread = 1;
static int untimely;
/* How often something was set that must not be changed while records are made. */
XSP_TEST_EXPORT int small_cupti_untimely(void) { return untimely; }
XSP_TEST_EXPORT int small_cupti_per_thread(void) { return per_thread; }

XSP_TEST_EXPORT int cuptiActivitySetAttribute(int attribute, size_t* bytes, void* value) {
  if (enabled != 0) ++untimely;
  if (attribute == 9 && *bytes == 1) per_thread = *(const uint8_t*)value;
  return 0;
}
XSP_TEST_EXPORT int cuptiActivityRegisterTimestampCallback(void* callback) {
  if (enabled != 0) ++untimely;
  return callback == NULL;
}
