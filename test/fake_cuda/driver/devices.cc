// Devices, contexts, streams, and putting things into streams.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <unordered_map>

#include "simulation.h"

namespace fake {
namespace {

thread_local Context* current = nullptr;
thread_local std::map<Context*, Stream*>* per_thread_streams = nullptr;

const uintptr_t kLegacy = 1, kPerThread = 2;

}  // namespace

int device_count() {
  const char* const count = getenv("FAKE_CUDA_DEVICES");
  return count == nullptr ? 1 : atoi(count);
}

Context* current_context() { return current != nullptr && current->alive ? current : nullptr; }
void set_current_context(Context* context) { current = context; }

Stream* make_stream(Context& context, bool blocking) {
  State& s = state();
  auto* const stream = new Stream;
  stream->context = &context;
  stream->blocking = blocking;
  // As CUPTI's: 7 is a context's default stream.
  stream->id = s.streams_made == 0 ? 7 : 12 + s.streams_made;
  ++s.streams_made;
  context.streams.insert(stream);
  s.live.insert(stream);
  return stream;
}

Stream* find_stream(void* handle, bool per_thread) {
  const auto value = reinterpret_cast<uintptr_t>(handle);
  State& s = state();
  if (value > kPerThread) return s.live.count(handle) ? static_cast<Stream*>(handle) : nullptr;
  if (current_context() == nullptr) return nullptr;
  if (value == kLegacy || (value == 0 && !per_thread)) return current->legacy;
  if (per_thread_streams == nullptr) per_thread_streams = new std::map<Context*, Stream*>;
  Stream*& mine = (*per_thread_streams)[current];
  if (mine == nullptr || !s.live.count(mine)) mine = make_stream(*current, true);
  return mine;
}

Context* make_context(int device, bool primary) {
  State& s = state();
  auto* const context = new Context;
  {
    std::lock_guard held(s.lock);
    context->device = device;
    context->id = ++s.contexts_made;
    context->primary = primary;
    context->legacy = make_stream(*context, true);
    context->legacy->legacy = true;
    s.live.insert(context);
  }
  tell_resource(1, context, nullptr, nullptr);
  return context;
}

void destroy_context(Context* context) {
  State& s = state();
  tell_resource(2, context, nullptr, nullptr);
  std::unique_lock held(s.lock);
  wait_for_context(held, *context);
  const std::set<Stream*> streams = context->streams;
  for (Stream* stream : streams) {
    stop_stream(held, *stream);
    s.live.erase(stream);
  }
  s.live.erase(context);
  context->alive = false;
  if (context->primary) s.primary.erase(context->device);
  // The memory stays: threads may have it as their current one.
}

int submit(Stream& stream, Work&& work, bool wait) {
  State& s = state();
  fake_execution& e = work.execution;
  e.device = static_cast<uint32_t>(stream.context->device);
  e.context = stream.context->id;
  e.stream = stream.id;
  e.correlation = correlation_here();
  e.queued = now();
  work.origin = here();
  {
    std::lock_guard held(s.lock);
    if (stream.capture != nullptr) {
      if (stream.capture_invalid) return kCaptureInvalidated;
      if (wait) {
        invalidate_captures();
        return kCaptureUnsupported;
      }
    }
  }
  if (stream.capture != nullptr) {
    const int type = e.kind == kFakeKernel ? 0 : e.kind == kFakeMemset ? 2 : 1;
    std::vector<Node*> after = stream.capture_front;
    work.capture = work.origin;
    Node* const node = add_node(*stream.capture, type, after);
    node->work = std::move(work);
    stream.capture_front = {node};
    return kSuccess;
  }
  tell_launch(e, work.name.c_str());
  std::unique_lock held(s.lock);
  Operation operation;
  operation.works.push_back(std::move(work));
  const OperationRef ref = enqueue(stream, std::move(operation));
  if (wait) wait_for(held, ref);
  return kSuccess;
}

void invalidate_captures() {
  State& s = state();
  for (const auto& [device, context] : s.primary)
    for (Stream* stream : context->streams)
      if (stream->capture != nullptr && stream->capture_mode == 0) stream->capture_invalid = true;
}

}  // namespace fake
