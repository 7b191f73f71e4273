/* A graph built node by node in the driver API, each node in a layer: two kernels, a child graph, and a loop whose body
 * runs three times. It is launched twice, from one layer. `graph_nodes clone` launches one of a clone, without the
 * loop, which no clone may have. */
#include <string.h>

#include "spans.h"

typedef struct { /* CUDA_KERNEL_NODE_PARAMS_v2 */
  void* function;
  unsigned grid[3], block[3], shared;
  void** arguments;
  void** extra;
  void* kernel;
  void* context;
} kernel_node;

typedef struct { /* CUgraphNodeParams, of a conditional node */
  int type;
  int reserved[3];
  unsigned long long handle;
  int condition;
  unsigned size;
  void** bodies;
  void* context;
  long long padding[25];
  long long reserved2;
} conditional_node;

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuGraphCreate(void**, unsigned);
int cuGraphAddKernelNode_v2(void**, void*, void* const*, size_t, const kernel_node*);
int cuGraphAddChildGraphNode(void**, void*, void* const*, size_t, void*);
int cuGraphAddNode_v2(void**, void*, void* const*, const void*, size_t, conditional_node*);
int cuGraphConditionalHandleCreate(unsigned long long*, void*, void*, unsigned, unsigned);
int cuGraphClone(void**, void*);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphLaunch(void*, void*);

static void* module;

static void* add(void* graph, void* after, const char* layer, const char* name) {
  kernel_node parameters = {NULL, {8, 1, 1}, {128, 1, 1}, 0, NULL, NULL, NULL, NULL};
  void* node;
  const marked span = begin_layer(layer);
  CHECK(cuModuleGetFunction(&parameters.function, module, name));
  CHECK(cuGraphAddKernelNode_v2(&node, graph, &after, after != NULL, &parameters));
  end_span(span);
  return node;
}

int main(int count, char** words) {
  const int clone = count > 1 && strcmp(words[1], "clone") == 0;
  void *context, *stream, *graph, *child, *node, *executable;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, "image"));
  CHECK(cuStreamCreate(&stream, 1));
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphCreate(&child, 0));
  const marked building = begin_span("building", 1);
  node = add(graph, NULL, "first", "first_20us");
  node = add(graph, node, "second", "second_30us");
  add(child, NULL, "in_child", "in_child_40us");
  const void* before = node;
  CHECK(cuGraphAddChildGraphNode(&node, graph, (void* const*)&before, 1, child));
  if (!clone) {
    conditional_node loop = {13, {0}, 0, 1, 1, NULL, context, {0}, 0};
    CHECK(cuGraphConditionalHandleCreate(&loop.handle, graph, context, 3, 1));
    before = node;
    CHECK(cuGraphAddNode_v2(&node, graph, (void* const*)&before, NULL, 1, &loop));
    add(loop.bodies[0], NULL, "in_loop", "in_loop_50us");
  } else {
    void* copy;
    CHECK(cuGraphClone(&copy, graph));
    graph = copy;
  }
  CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
  end_span(building);
  for (int i = 0; i < 2; ++i) {
    const marked model = begin_model("replay");
    const marked layer = begin_layer("launching");
    CHECK(cuGraphLaunch(executable, stream));
    end_span(layer);
    CHECK(cuStreamSynchronize(stream));
    end_span(model);
  }
  puts("done");
  return 0;
}
