// Calls of the API: correlation ids, which count over all calls of the process, and the tools that are told.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simulation.h"

namespace fake {
namespace {

std::atomic<fake_tool*> tools[kFakeTools];
std::atomic<uint32_t> correlations{0};

struct Thread {
  int depth = 0;
  uint32_t correlation = 0;
  const char* api = "";
  const char* library = "";
  char label[128] = "";
};
thread_local Thread thread;

void add_tool(fake_tool* tool) {
  for (int i = 0; i < kFakeTools; ++i) {
    fake_tool* none = nullptr;
    tool->index = i;
    if (tools[i].compare_exchange_strong(none, tool)) return;
  }
  give_up("too many tools");
}

void enter(fake_call* call) {
  if (thread.depth == 0) {
    thread.correlation = ++correlations;
    thread.api = call->name;
  }
  call->depth = thread.depth++;
  call->correlation = thread.correlation;
  call->result = nullptr;
  Context* context = current_context();
  call->context = context;
  call->context_id = context == nullptr ? 0 : context->id;
  call->begin = now();
  for (auto& tool : tools)
    if (fake_tool* t = tool.load()) t->call(0, call);
}

void exit(fake_call* call) {
  call->end = now();
  Context* context = current_context();
  call->context = context;
  call->context_id = context == nullptr ? 0 : context->id;
  for (auto& tool : tools)
    if (fake_tool* t = tool.load()) t->call(1, call);
  if (--thread.depth == 0) thread.correlation = 0;
}

int ready() {
  std::lock_guard held(state().lock);
  return state().contexts_made > 0;
}
uint32_t context_id(void* context) { return context == nullptr ? 0 : static_cast<Context*>(context)->id; }
uint32_t device_of(void* context) {
  return context == nullptr ? 0 : static_cast<uint32_t>(static_cast<Context*>(context)->device);
}
uint32_t stream_id(void*, void* handle, int per_thread) {
  std::lock_guard held(state().lock);
  const Stream* stream = find_stream(handle, per_thread != 0);
  return stream == nullptr ? 0 : stream->id;
}
uint64_t node_id(void* node) { return static_cast<Node*>(node)->id; }
uint32_t graph_id(void* graph) { return static_cast<Graph*>(graph)->id; }
void label(const char* text) { snprintf(thread.label, sizeof thread.label, "%s", text); }
void library_call(const char* function) { thread.library = function; }
int is_device_memory(const void* address, size_t bytes) {
  std::lock_guard held(state().lock);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  auto found = state().device_memory.upper_bound(begin);
  if (found == state().device_memory.begin()) return 0;
  --found;
  return begin - found->first <= found->second && bytes <= found->second - (begin - found->first);
}
void compute(void* handle, void (*function)(void*), void* argument) {
  std::lock_guard held(state().lock);
  Stream* const stream = find_stream(handle, false);
  if (stream == nullptr || stream->capture != nullptr) return;
  Operation operation;
  operation.works.emplace_back().effect = [function, argument] { function(argument); };
  enqueue(*stream, std::move(operation));
}
void break_device(int status) { state().broken = status; }

}  // namespace

fake_driver driver_table = {add_tool,  enter,       exit,     now,   ready,        context_id,   device_of,
                            stream_id, node_id,     graph_id, label, library_call, device_count, is_device_memory,
                            compute,   break_device};

State& state() {
  static State* const instance = new State;
  return *instance;
}

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

void give_up(const char* why) {
  fprintf(stderr, "stand-in libcuda: %s\n", why);
  abort();
}

Origin here() { return {thread.api, thread.library, thread.label, static_cast<uint32_t>(syscall(SYS_gettid)), now()}; }
uint32_t correlation_here() { return thread.correlation; }

void tell_resource(uint32_t callback, void* context, void* resource, void* descriptor) {
  for (auto& tool : tools)
    if (fake_tool* t = tool.load()) t->resource(callback, context, resource, descriptor);
}
void tell_execution(const fake_execution& execution) {
  for (auto& tool : tools)
    if (fake_tool* t = tool.load()) t->execution(&execution);
}
void tell_overhead(int kind, uint64_t begin, uint64_t end) {
  for (auto& tool : tools)
    if (fake_tool* t = tool.load()) t->overhead(kind, begin, end, thread.correlation);
}
void tell_launch(fake_execution& execution, const char* name) {
  execution.name = name;
  for (auto& tool : tools)
    if (fake_tool* t = tool.load()) t->launched(&execution);
  execution.name = nullptr;
}

int injected_failure(const char* function) {
  const char* fail = getenv("FAKE_CUDA_FAIL");
  const size_t length = strlen(function);
  return fail != nullptr && strncmp(fail, function, length) == 0 && fail[length] == '=' ? atoi(fail + length + 1) : 0;
}

int usable() {
  State& s = state();
  // Before the lock: a thread that does not exist in the child may have held it.
  if (!s.initialized || s.pid != getpid()) return kNotInitialized;
  return s.broken;
}

}  // namespace fake
