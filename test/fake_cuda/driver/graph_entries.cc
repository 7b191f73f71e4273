// Entry points: graphs.
#include "entry.h"

using namespace fake;

namespace {

struct KernelNodeParameters {  // CUDA_KERNEL_NODE_PARAMS_v2
  Function* function;
  unsigned grid[3], block[3], shared;
  void** arguments;
  void** extra;
  Function* kernel;
  Context* context;
};

struct ConditionalParameters {  // CUDA_CONDITIONAL_NODE_PARAMS
  unsigned long long handle;
  int type;
  unsigned size;
  Graph** bodies;
  Context* context;
};

struct NodeParameters {  // CUgraphNodeParams
  int type;
  int reserved[3];
  union {
    long long padding[29];
    KernelNodeParameters kernel;
    ConditionalParameters conditional;
    Graph* child;
  };
  long long reserved2;
};
static_assert(sizeof(NodeParameters) == 256);

enum { kKernelNode = 0, kChildNode = 4, kEmptyNode = 5, kConditionalNode = 13 };

int live(void* handle) {
  if (usable() != kSuccess) return kNotInitialized;
  std::lock_guard held(state().lock);
  return state().live.count(handle) ? kSuccess : kInvalidHandle;
}

int add_kernel(Node** result, Graph* graph, Node* const* after, size_t count, const KernelNodeParameters& p) {
  if (const int status = live(graph)) return status;
  const Function* const function = p.function != nullptr ? p.function : p.kernel;
  if (function == nullptr) return kInvalidValue;
  Node* const node = add_node(*graph, kKernelNode, {after, after + count});
  node->work.name = function->name;
  node->work.duration = duration_of(function->name);
  node->work.capture = here();
  fake_execution& e = node->work.execution;
  e.kind = kFakeKernel;
  for (int i = 0; i < 3; ++i) e.grid[i] = p.grid[i], e.block[i] = p.block[i];
  e.shared = p.shared;
  *result = node;
  return kSuccess;
}

int add_any(Node** result, Graph* graph, Node* const* after, size_t count, NodeParameters& p) {
  if (const int status = live(graph)) return status;
  if (p.type == kKernelNode) return add_kernel(result, graph, after, count, p.kernel);
  if (p.type == kConditionalNode) {
    if (!graph->conditions.count(p.conditional.handle)) return kInvalidValue;
    Node* const node = add_node(*graph, kConditionalNode, {after, after + count});
    node->condition = p.conditional.handle;
    node->condition_type = p.conditional.type;
    node->body = make_graph();
    if (p.conditional.size > 1) node->else_body = make_graph();
    auto** const bodies = new Graph* [2] { node->body, node->else_body };
    p.conditional.bodies = bodies;
    *result = node;
    return kSuccess;
  }
  if (p.type == kEmptyNode) {
    *result = add_node(*graph, kEmptyNode, {after, after + count});
    return kSuccess;
  }
  return kNotSupported;
}

int instantiate(Graph** executable, Graph* graph) {
  if (const int status = live(graph)) return status;
  *executable = copy_graph(*graph, true, current_context());
  return kSuccess;
}

int launch(Graph* executable, void* handle, bool per_thread) {
  if (const int status = live(executable)) return status;
  if (!executable->executable) return kInvalidHandle;
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  Operation operation = graph_operation(*executable, *on.stream);
  std::lock_guard held(state().lock);
  enqueue(*on.stream, std::move(operation));
  return kSuccess;
}

}  // namespace

EXPORT int cuGraphCreate(Graph** graph, unsigned flags) {
  struct {
    void* graph;
    unsigned flags;
  } parameters = {graph, flags};
  return api_call("cuGraphCreate", 501, &parameters, [&] {
    if (usable() != kSuccess) return usable();
    *graph = make_graph();
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuGraphAddKernelNode_v2(Node** node, Graph* graph, Node* const* after, size_t count,
                                   const KernelNodeParameters* p) {
  struct {
    void *node, *graph;
    Node* const* after;
    size_t count;
    const void* p;
  } parameters = {node, graph, after, count, p};
  return api_call("cuGraphAddKernelNode_v2", 689, &parameters,
                  [&] { return add_kernel(node, graph, after, count, *p); });
}
EXPORT int cuGraphAddChildGraphNode(Node** node, Graph* graph, Node* const* after, size_t count, Graph* child) {
  struct {
    void *node, *graph;
    Node* const* after;
    size_t count;
    void* child;
  } parameters = {node, graph, after, count, child};
  return api_call("cuGraphAddChildGraphNode", 525, &parameters, [&] {
    if (const int status = live(child)) return status;
    Node* const made = add_node(*graph, kChildNode, {after, after + count});
    made->body = copy_graph(*child, false, nullptr);
    *node = made;
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuGraphAddEmptyNode(Node** node, Graph* graph, Node* const* after, size_t count) {
  struct {
    void *node, *graph;
    Node* const* after;
    size_t count;
  } parameters = {node, graph, after, count};
  return api_call("cuGraphAddEmptyNode", 526, &parameters, [&] {
    *node = add_node(*graph, kEmptyNode, {after, after + count});
    return kSuccess;
  });
}
EXPORT int cuGraphAddNode(Node** node, Graph* graph, Node* const* after, size_t count, NodeParameters* p) {
  struct {
    void *node, *graph;
    Node* const* after;
    size_t count;
    void* p;
  } parameters = {node, graph, after, count, p};
  return api_call("cuGraphAddNode", 712, &parameters, [&] { return add_any(node, graph, after, count, *p); });
}
EXPORT int cuGraphAddNode_v2(Node** node, Graph* graph, Node* const* after, const void* edges, size_t count,
                             NodeParameters* p) {
  struct {
    void *node, *graph;
    Node* const* after;
    const void* edges;
    size_t count;
    void* p;
  } parameters = {node, graph, after, edges, count, p};
  return api_call("cuGraphAddNode_v2", 723, &parameters, [&] { return add_any(node, graph, after, count, *p); });
}
/// A body of type WHILE runs as often as the default value says: there is no kernel to change it.
EXPORT int cuGraphConditionalHandleCreate(unsigned long long* handle, Graph* graph, Context* context, unsigned value,
                                          unsigned flags) {
  struct {
    void *handle, *graph, *context;
    unsigned value, flags;
  } parameters = {handle, graph, context, value, flags};
  return api_call("cuGraphConditionalHandleCreate", 722, &parameters, [&] {
    if (const int status = live(graph)) return status;
    std::lock_guard held(state().lock);
    *handle = ++state().conditions_made;
    graph->conditions[*handle] = value;
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuGraphClone(Graph** clone, Graph* original) {
  struct {
    void *clone, *original;
  } parameters = {clone, original};
  return api_call("cuGraphClone", 523, &parameters, [&] {
    if (const int status = live(original)) return status;
    *clone = copy_graph(*original, false, nullptr);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuGraphInstantiateWithFlags(Graph** executable, Graph* graph, unsigned long long flags) {
  struct {
    void *executable, *graph;
    unsigned long long flags;
  } parameters = {executable, graph, flags};
  return api_call("cuGraphInstantiateWithFlags", 643, &parameters, [&] { return instantiate(executable, graph); });
}
EXPORT int cuGraphInstantiate_v2(Graph** executable, Graph* graph, void** error, char* log, size_t size) {
  struct {
    void *executable, *graph, *error, *log;
    size_t size;
  } parameters = {executable, graph, error, log, size};
  return api_call("cuGraphInstantiate_v2", 578, &parameters, [&] { return instantiate(executable, graph); });
}
EXPORT int cuGraphDestroy(Graph* graph) {
  return api_call("cuGraphDestroy", 517, &graph, [&] {
    if (const int status = live(graph)) return status;
    destroy_graph(graph, false);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuGraphExecDestroy(Graph* executable) {
  return api_call("cuGraphExecDestroy", 516, &executable, [&] {
    if (const int status = live(executable)) return status;
    destroy_graph(executable, true);
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuGraphGetNodes(Graph* graph, Node** nodes, size_t* count) {
  struct {
    void *graph, *nodes, *count;
  } parameters = {graph, nodes, count};
  return api_call("cuGraphGetNodes", 534, &parameters, [&] {
    if (const int status = live(graph)) return status;
    for (size_t i = 0; nodes != nullptr && i < *count && i < graph->nodes.size(); ++i) nodes[i] = graph->nodes[i];
    *count = graph->nodes.size();
    return static_cast<int>(kSuccess);
  });
}

#define LAUNCH(name, callback, per_thread)                                                                 \
  EXPORT int name(Graph* executable, void* stream) {                                                       \
    struct {                                                                                               \
      void *executable, *stream;                                                                           \
    } parameters = {executable, stream};                                                                   \
    return api_call(#name, callback, &parameters, [&] { return launch(executable, stream, per_thread); }); \
  }
LAUNCH(cuGraphLaunch, 514, false)
LAUNCH(cuGraphLaunch_ptsz, 515, true)
