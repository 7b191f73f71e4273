// Entry points: streams, events, capture.
#include "entry.h"

using namespace fake;

namespace {

int create(Stream** result, unsigned flags) {
  if (usable() != kSuccess) return usable();
  Stream* made;
  {
    std::lock_guard held(state().lock);
    Context* const context = current_context();
    if (context == nullptr) return kInvalidContext;
    made = make_stream(*context, (flags & 1) == 0);  // CU_STREAM_NON_BLOCKING
  }
  tell_resource(3, current_context(), made, nullptr);
  *result = made;
  return kSuccess;
}

int destroy(Stream* stream) {
  if (usable() != kSuccess) return usable();
  {
    std::lock_guard held(state().lock);
    if (!state().live.count(stream)) return kInvalidHandle;
  }
  tell_resource(4, current_context(), stream, nullptr);
  std::unique_lock held(state().lock);
  state().live.erase(stream);
  stop_stream(held, *stream);
  stream->context->streams.erase(stream);
  return kSuccess;
}

void tell_wait(int type, uint64_t begin, const Context* context, uint32_t stream) {
  fake_execution e = {};
  e.kind = kFakeSynchronization;
  e.synchronization = type;
  e.begin = begin;
  e.end = now();
  e.correlation = correlation_here();
  e.context = context == nullptr ? 0 : context->id;
  e.stream = stream;
  tell_launch(e, nullptr);
  tell_execution(e);
}

enum { kEventSynchronize = 1, kStreamWaitEvent = 2, kStreamSynchronize = 3, kContextSynchronize = 4 };

int synchronize(void* handle, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  const uint64_t begin = now();
  {
    std::unique_lock held(state().lock);
    if (on.stream->capture != nullptr) {
      on.stream->capture_invalid = true;
      return kCaptureUnsupported;
    }
    wait_for_stream(held, *on.stream);
  }
  tell_wait(kStreamSynchronize, begin, on.stream->context, on.stream->id);
  return kSuccess;
}

int wait_event(void* handle, Event* event, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  const uint64_t begin = now();
  {
    std::lock_guard held(state().lock);
    if (!state().live.count(event)) return kInvalidHandle;
    if (event->capture != nullptr) {
      on.stream->capture = event->capture;
      on.stream->capture_front.insert(on.stream->capture_front.end(), event->capture_front.begin(),
                                      event->capture_front.end());
      return kSuccess;
    }
    if (!event->recorded) return kSuccess;
    Operation operation;
    operation.after.push_back(event->recorded);
    enqueue(*on.stream, std::move(operation));
  }
  tell_wait(kStreamWaitEvent, begin, on.stream->context, on.stream->id);
  return kSuccess;
}

int record(Event* event, void* handle, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  std::lock_guard held(state().lock);
  if (!state().live.count(event)) return kInvalidHandle;
  event->capture = on.stream->capture;
  event->capture_front = on.stream->capture_front;
  if (on.stream->capture == nullptr) event->recorded = enqueue(*on.stream, {});
  return kSuccess;
}

int begin_capture(void* handle, int mode, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  if (on.stream->legacy) return kCaptureUnsupported;
  Graph* const graph = make_graph();
  std::lock_guard held(state().lock);
  if (on.stream->capture != nullptr) return kInvalidValue;
  graph->context = on.stream->context;
  on.stream->capture = graph;
  on.stream->capture_origin = true;
  on.stream->capture_invalid = false;
  on.stream->capture_mode = mode;
  on.stream->capture_front.clear();
  return kSuccess;
}

int end_capture(void* handle, Graph** graph, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  std::lock_guard held(state().lock);
  if (on.stream->capture == nullptr || !on.stream->capture_origin) return kInvalidValue;
  Graph* const captured = on.stream->capture;
  const bool invalid = on.stream->capture_invalid;
  for (Stream* stream : on.stream->context->streams) {
    if (stream->capture != captured) continue;
    stream->capture = nullptr;
    stream->capture_origin = stream->capture_invalid = false;
    stream->capture_front.clear();
  }
  *graph = invalid ? nullptr : captured;
  return invalid ? kCaptureInvalidated : kSuccess;
}

int is_capturing(void* handle, int* status, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  std::lock_guard held(state().lock);
  *status = on.stream->capture == nullptr ? 0 : on.stream->capture_invalid ? 2 : 1;
  return kSuccess;
}

int query(void* handle, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  std::lock_guard held(state().lock);
  return !on.stream->last || on.stream->last->done ? kSuccess : kNotReady;
}

}  // namespace

EXPORT int cuStreamCreate(Stream** stream, unsigned flags) {
  struct {
    void* stream;
    unsigned flags;
  } parameters = {stream, flags};
  return api_call("cuStreamCreate", 124, &parameters, [&] { return create(stream, flags); });
}
EXPORT int cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  struct {
    void* stream;
    unsigned flags;
    int priority;
  } parameters = {stream, flags, priority};
  return api_call("cuStreamCreateWithPriority", 367, &parameters, [&] { return create(stream, flags); });
}
EXPORT int cuStreamDestroy_v2(Stream* stream) {
  return api_call("cuStreamDestroy_v2", 326, &stream, [&] { return destroy(stream); });
}
EXPORT int cuCtxSynchronize(void) {
  return api_call("cuCtxSynchronize", 17, nullptr, [&] {
    if (usable() != kSuccess) return usable();
    Context* const context = current_context();
    if (context == nullptr) return static_cast<int>(kInvalidContext);
    if (const int status = unsafe_in_capture(capture_mode_of_thread())) return status;
    const uint64_t begin = now();
    {
      std::unique_lock held(state().lock);
      wait_for_context(held, *context);
    }
    tell_wait(kContextSynchronize, begin, context, 0xFFFFFFFF);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuThreadExchangeStreamCaptureMode(int* mode) {
  return api_call("cuThreadExchangeStreamCaptureMode", 541, &mode, [&] {
    std::swap(*mode, capture_mode_of_thread());
    return kSuccess;
  });
}

#define STREAM(name, callback, per_thread, body)                                         \
  EXPORT int name(void* stream) {                                                        \
    return api_call(#name, callback, &stream, [&] { return body(stream, per_thread); }); \
  }
STREAM(cuStreamSynchronize, 126, false, synchronize)
STREAM(cuStreamSynchronize_ptsz, 440, true, synchronize)
STREAM(cuStreamQuery, 125, false, query)
STREAM(cuStreamQuery_ptsz, 439, true, query)

#define WAIT_EVENT(name, callback, per_thread)                                                            \
  EXPORT int name(void* stream, Event* event, unsigned flags) {                                           \
    struct {                                                                                              \
      void *stream, *event;                                                                               \
      unsigned flags;                                                                                     \
    } parameters = {stream, event, flags};                                                                \
    return api_call(#name, callback, &parameters, [&] { return wait_event(stream, event, per_thread); }); \
  }
WAIT_EVENT(cuStreamWaitEvent, 295, false)
WAIT_EVENT(cuStreamWaitEvent_ptsz, 436, true)

#define RECORD(name, callback, per_thread)                                                            \
  EXPORT int name(Event* event, void* stream) {                                                       \
    struct {                                                                                          \
      void *event, *stream;                                                                           \
    } parameters = {event, stream};                                                                   \
    return api_call(#name, callback, &parameters, [&] { return record(event, stream, per_thread); }); \
  }
RECORD(cuEventRecord, 119, false)
RECORD(cuEventRecord_ptsz, 441, true)

#define CAPTURE(begin, begin_callback, end, end_callback, asks, asks_callback, per_thread)                         \
  EXPORT int begin(void* stream, int mode) {                                                                       \
    struct {                                                                                                       \
      void* stream;                                                                                                \
      int mode;                                                                                                    \
    } parameters = {stream, mode};                                                                                 \
    return api_call(#begin, begin_callback, &parameters, [&] { return begin_capture(stream, mode, per_thread); }); \
  }                                                                                                                \
  EXPORT int end(void* stream, Graph** graph) {                                                                    \
    struct {                                                                                                       \
      void *stream, *graph;                                                                                        \
    } parameters = {stream, graph};                                                                                \
    return api_call(#end, end_callback, &parameters, [&] { return end_capture(stream, graph, per_thread); });      \
  }                                                                                                                \
  EXPORT int asks(void* stream, int* status) {                                                                     \
    struct {                                                                                                       \
      void* stream;                                                                                                \
      int* status;                                                                                                 \
    } parameters = {stream, status};                                                                               \
    return api_call(#asks, asks_callback, &parameters, [&] { return is_capturing(stream, status, per_thread); });  \
  }
CAPTURE(cuStreamBeginCapture_v2, 539, cuStreamEndCapture, 497, cuStreamIsCapturing, 499, false)
CAPTURE(cuStreamBeginCapture_v2_ptsz, 540, cuStreamEndCapture_ptsz, 498, cuStreamIsCapturing_ptsz, 500, true)

EXPORT int cuEventCreate(Event** event, unsigned flags) {
  struct {
    void* event;
    unsigned flags;
  } parameters = {event, flags};
  return api_call("cuEventCreate", 118, &parameters, [&] {
    if (usable() != kSuccess) return usable();
    if (current_context() == nullptr) return static_cast<int>(kInvalidContext);
    auto* const made = new Event;
    made->context = current_context();
    made->timed = (flags & 2) == 0;  // CU_EVENT_DISABLE_TIMING
    std::lock_guard held(state().lock);
    state().live.insert(made);
    *event = made;
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuEventDestroy_v2(Event* event) {
  return api_call("cuEventDestroy_v2", 325, &event, [&] {
    if (usable() != kSuccess) return usable();
    std::lock_guard held(state().lock);
    if (state().live.erase(event) == 0) return static_cast<int>(kInvalidHandle);
    delete event;
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuEventQuery(Event* event) {
  return api_call("cuEventQuery", 120, &event, [&] {
    if (usable() != kSuccess) return usable();
    if (const int status = unsafe_in_capture(capture_mode_of_thread())) return status;
    std::lock_guard held(state().lock);
    if (!state().live.count(event)) return static_cast<int>(kInvalidHandle);
    return static_cast<int>(!event->recorded || event->recorded->done ? kSuccess : kNotReady);
  });
}
EXPORT int cuEventSynchronize(Event* event) {
  return api_call("cuEventSynchronize", 121, &event, [&] {
    if (usable() != kSuccess) return usable();
    if (const int status = unsafe_in_capture(capture_mode_of_thread())) return status;
    const uint64_t begin = now();
    {
      std::unique_lock held(state().lock);
      if (!state().live.count(event)) return static_cast<int>(kInvalidHandle);
      const OperationRef recorded = event->recorded;
      wait_for(held, recorded);
    }
    tell_wait(kEventSynchronize, begin, current_context(), 0xFFFFFFFF);
    return static_cast<int>(kSuccess);
  });
}
static int elapsed(float* milliseconds, Event* from, Event* to) {
  if (usable() != kSuccess) return usable();
  std::lock_guard held(state().lock);
  if (!state().live.count(from) || !state().live.count(to)) return kInvalidHandle;
  if (!from->recorded || !to->recorded || !from->timed || !to->timed) return kInvalidHandle;
  if (!from->recorded->done || !to->recorded->done) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(to->recorded->end - from->recorded->end) / 1e6);
  return kSuccess;
}
EXPORT int cuEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  struct {
    void *milliseconds, *from, *to;
  } parameters = {milliseconds, from, to};
  return api_call("cuEventElapsedTime", 123, &parameters, [&] { return elapsed(milliseconds, from, to); });
}
EXPORT int cuEventElapsedTime_v2(float* milliseconds, Event* from, Event* to) {
  struct {
    void *milliseconds, *from, *to;
  } parameters = {milliseconds, from, to};
  return api_call("cuEventElapsedTime_v2", 780, &parameters, [&] { return elapsed(milliseconds, from, to); });
}

static int call_host(void* handle, void (*function)(void*), void* argument, bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  if (function == nullptr) return kInvalidValue;
  std::lock_guard held(state().lock);
  if (on.stream->capture != nullptr) return kNotSupported;  // a node of a kind that the stand-in lacks
  Operation operation;
  Work& work = operation.works.emplace_back();
  work.effect = [function, argument] { function(argument); };
  work.lasts_as_effect = true;
  enqueue(*on.stream, std::move(operation));
  return kSuccess;
}
#define HOST_FUNCTION(name, callback, per_thread)                                                                     \
  EXPORT int name(void* stream, void (*function)(void*), void* argument) {                                            \
    struct {                                                                                                          \
      void* stream;                                                                                                   \
      void (*function)(void*);                                                                                        \
      void* argument;                                                                                                 \
    } parameters = {stream, function, argument};                                                                      \
    return api_call(#name, callback, &parameters, [&] { return call_host(stream, function, argument, per_thread); }); \
  }
HOST_FUNCTION(cuLaunchHostFunc, 527, false)
HOST_FUNCTION(cuLaunchHostFunc_ptsz, 528, true)

/// No function of the vendor's: a time in which the stream does nothing, as behind a host that is busy with other
/// things. It is exact, however loaded the machine.
EXPORT int fake_cuda_pause(void* stream, uint64_t ns) {
  const OnStream on(stream, false);
  if (on.status != kSuccess) return on.status;
  Operation operation;
  operation.works.emplace_back().duration = ns;
  std::lock_guard held(state().lock);
  enqueue(*on.stream, std::move(operation));
  return kSuccess;
}
