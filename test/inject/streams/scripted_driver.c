/* A libcuda whose events pass when the test says: one context, and a clock that is the host's. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define XSP_TEST_EXPORT __attribute__((visibility("default")))

/* Since the event was recorded; of the one that is recorded next; how long the call of it takes before. */
XSP_TEST_EXPORT uint64_t script_passes_after_ns;
XSP_TEST_EXPORT uint64_t script_record_waits_ns;
XSP_TEST_EXPORT unsigned long long script_context_id = 1;
XSP_TEST_EXPORT int script_failing_queries;
XSP_TEST_EXPORT int script_stale_uses; /* events of a context that is gone */

struct event {
  uint64_t passes_at_ns;
  unsigned long long context_id;
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static int is_stale(const struct event* event) {
  if (event->context_id == script_context_id) return 0;
  ++script_stale_uses;
  return 1;
}

XSP_TEST_EXPORT int cuCtxGetCurrent(void** context) {
  *context = (void*)0x1000;
  return 0;
}
XSP_TEST_EXPORT int cuCtxSetCurrent(void* context) { return context == (void*)0x1000 ? 0 : 201; }
XSP_TEST_EXPORT int cuCtxGetId(void* context, unsigned long long* id) {
  *id = script_context_id;
  return context == (void*)0x1000 ? 0 : 201;
}
XSP_TEST_EXPORT int cuStreamCreate(void** stream, unsigned flags) {
  *stream = (void*)0x2000;
  return flags == 1 ? 0 : 1;
}
XSP_TEST_EXPORT int cuEventCreate(struct event** event, unsigned flags) {
  *event = calloc(1, sizeof **event);
  (*event)->context_id = script_context_id;
  return flags == 0 ? 0 : 1;
}
XSP_TEST_EXPORT int cuEventRecord(struct event* event, void* stream) {
  (void)stream;
  if (is_stale(event)) return 400;
  const uint64_t wait = script_record_waits_ns;
  const struct timespec pause = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
  nanosleep(&pause, NULL);
  event->passes_at_ns = now_ns() + script_passes_after_ns;
  return 0;
}
XSP_TEST_EXPORT int cuEventQuery(struct event* event) {
  if (is_stale(event)) return 400;
  if (__atomic_load_n(&script_failing_queries, __ATOMIC_RELAXED) > 0) {
    __atomic_fetch_sub(&script_failing_queries, 1, __ATOMIC_RELAXED);
    return 700;
  }
  return now_ns() >= event->passes_at_ns ? 0 : 600;
}
XSP_TEST_EXPORT int cuEventElapsedTime(float* milliseconds, struct event* from, struct event* to) {
  if (is_stale(from) || is_stale(to)) return 400;
  *milliseconds = (float)((double)(int64_t)(to->passes_at_ns - from->passes_at_ns) / 1e6);
  return 0;
}
XSP_TEST_EXPORT int cuStreamIsCapturing(void* stream, int* status) {
  (void)stream;
  *status = 0;
  return 0;
}
XSP_TEST_EXPORT int cuThreadExchangeStreamCaptureMode(int* mode) {
  (void)mode;
  return 0;
}
