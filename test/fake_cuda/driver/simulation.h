#pragma once

/// The simulated devices. A stream is a thread with a queue: each entry takes exactly the time given by duration_of,
/// from when the stream is free or, if later, from when it was enqueued; the thread really waits that long. One lock
/// guards everything; it is never held while a tool's or a program's function runs.
///
/// FAKE_CUDA_DEVICES: how many there are, default 1. FAKE_CUDA_KERNELS: durations (duration_of). FAKE_CUDA_COPY_RATE:
/// of copies, in bytes per ns, default 16. FAKE_CUDA_TRUTH: a file for the truth log. FAKE_CUDA_DRIVER: the version,
/// default 13000. FAKE_CUDA_FAIL=FUNCTION=STATUS: that function fails.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tool.h"

namespace fake {

enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kPrimaryContextActive = 708,
  kContextDestroyed = 709,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
};

struct Context;
struct Stream;
struct Graph;
struct Node;

struct Function {
  std::string name;
  bool loaded = false;
};

struct Module {
  std::map<std::string, Function*> functions;
};

/// What the thread that launched something was doing: for the truth log.
struct Origin {
  std::string api, library, label;
  uint32_t thread = 0;
  uint64_t at = 0;
};

/// One thing to run, outside or inside a graph.
struct Work {
  fake_execution execution = {};
  std::string name;
  uint64_t duration = 0;
  Origin origin;   // of the launch
  Origin capture;  // of the graph's node
  std::function<void()> effect;
  bool lasts_as_effect = false;  // a function of the program: it takes the time that it takes
};

/// An entry of a stream's queue: one thing, a graph, or nothing (an event).
struct Operation {
  std::vector<Work> works;
  std::vector<std::vector<size_t>> dependencies;  // between the works of a graph, by index; else empty
  std::vector<std::shared_ptr<Operation>> after;
  uint64_t enqueued = 0;
  uint64_t end = 0;
  bool done = false;
};
using OperationRef = std::shared_ptr<Operation>;

struct Stream {
  Context* context;
  uint32_t id;
  bool legacy = false;  // waits for all blocking streams, and they wait for it
  bool blocking = true;
  std::deque<OperationRef> queue;
  OperationRef last;
  uint64_t free_at = 0;
  bool running = false;  // its thread exists
  bool closing = false;
  std::condition_variable work;
  // While it captures:
  Graph* capture = nullptr;
  bool capture_origin = false;
  bool capture_invalid = false;
  int capture_mode = 0;
  std::vector<Node*> capture_front;  // what the next node depends on
};

struct Event {
  Context* context;
  OperationRef recorded;
  bool timed = true;
  Graph* capture = nullptr;
  std::vector<Node*> capture_front;
};

struct Context {
  int device;
  uint32_t id;
  bool primary = false;
  int references = 0;
  std::atomic<bool> alive{true};
  Stream* legacy = nullptr;
  std::set<Stream*> streams;
};

struct Node {
  uint64_t id;
  int type;  // CUgraphNodeType
  Graph* graph;
  Work work;
  std::vector<Node*> after;
  Graph* body = nullptr;   // of a child graph or a conditional node
  uint64_t condition = 0;  // handle
  int condition_type = 0;
  Graph* else_body = nullptr;
};

struct Graph {
  uint32_t id;
  std::vector<Node*> nodes;
  bool executable = false;
  Context* context = nullptr;
  std::map<uint64_t, uint32_t> conditions;  // handle: default value
};

struct State {
  std::mutex lock;
  std::condition_variable progress;
  std::atomic<bool> initialized{false};
  std::atomic<int> pid{0};
  std::atomic<int> broken{0};  // the status of all calls, after one that left the device unusable
  uint32_t contexts_made = 0;
  uint32_t streams_made = 0;
  uint32_t graphs_made = 0;
  uint64_t conditions_made = 0;
  std::map<int, Context*> primary;
  std::set<void*> live;  // contexts, streams, events, graphs, executable graphs, modules
  std::map<uintptr_t, size_t> device_memory, pinned_memory;
};

/// Never destroyed: our threads outlive main().
State& state();

uint64_t now();
[[noreturn]] void give_up(const char* why);

/// From FAKE_CUDA_KERNELS="name=120us,other=15us" (the longest matching beginning of the name), else from the name's
/// end ("gemm_120us"), else 10 us.
uint64_t duration_of(const std::string& kernel);
uint64_t copy_duration(uint64_t bytes);
uint64_t memset_duration(uint64_t bytes);

/// Appends it to the stream's queue. The lock is held.
OperationRef enqueue(Stream& stream, Operation&& operation);
void wait_for(std::unique_lock<std::mutex>& held, const OperationRef& operation);
void wait_for_stream(std::unique_lock<std::mutex>& held, Stream& stream);
void wait_for_context(std::unique_lock<std::mutex>& held, Context& context);
void stop_stream(std::unique_lock<std::mutex>& held, Stream& stream);

/// The context set by the calling thread.
Context* current_context();
void set_current_context(Context* context);
/// Resolves NULL and the special handles; null: no such stream. The lock is held.
Stream* find_stream(void* handle, bool per_thread);
Stream* make_stream(Context& context, bool blocking);
Context* make_context(int device, bool primary);
void destroy_context(Context* context);
int device_count();

/// Adds it to the graph that the stream captures, or runs it. Fills in what all executions share.
int submit(Stream& stream, Work&& work, bool wait);
Origin here();
uint32_t correlation_here();

void write_truth(const Work& work);

Node* add_node(Graph& graph, int type, std::vector<Node*> after);
Graph* make_graph();
Graph* copy_graph(Graph& original, bool executable, Context* context);
void destroy_graph(Graph* graph, bool executable);
Operation graph_operation(Graph& graph, Stream& stream);
void invalidate_captures();

extern fake_driver driver_table;

// Tools.
void tell_resource(uint32_t callback, void* context, void* resource, void* descriptor);
void tell_execution(const fake_execution& execution);
void tell_overhead(int kind, uint64_t begin, uint64_t end);
/// Tools are notified on the launching thread; they keep no pointer to the name.
void tell_launch(fake_execution& execution, const char* name);

int injected_failure(const char* function);

/// A driver call: callbacks, correlation, failure on request.
template <typename Body>
int api_call(const char* name, uint32_t callback, const void* parameters, Body&& body, const char* symbol = nullptr) {
  fake_call call = {};
  call.domain = kFakeDriverDomain;
  call.callback = callback;
  call.name = name;
  call.parameters = parameters;
  call.symbol = symbol;
  driver_table.enter(&call);
  int result = injected_failure(name);
  if (result == 0) result = body();
  call.result = &result;
  driver_table.exit(&call);
  return result;
}

/// Likewise, for a function that needs a driver initialised in this process.
int usable();

}  // namespace fake
