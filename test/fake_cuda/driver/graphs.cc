// Graphs: nodes, copies of them, and what a launch of one runs.
#include "simulation.h"

namespace fake {
namespace {

/// CUpti_GraphData.
struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
  int node_type;
  void* dependency;
  void* graph_exec;
};

enum { kGraphCreated = 9, kGraphDestroyed = 10, kGraphCloned = 11, kNodeCreated = 13, kNodeDestroyed = 14 };
enum { kExecutableCreated = 18, kExecutableDestroyed = 19, kNodeCloned = 20 };
enum { kTypeGraph = 4, kTypeConditional = 13, kIf = 0, kWhile = 1 };

void tell(uint32_t callback, const GraphData& data) {
  GraphData copy = data;
  tell_resource(callback, current_context(), nullptr, &copy);
}

void copy_nodes(Graph& from, Graph& to, bool executable) {
  std::map<Node*, Node*> copies;
  for (Node* original : from.nodes) {
    auto* const node = new Node(*original);
    node->graph = &to;
    node->id = (static_cast<uint64_t>(to.id) << 32) + to.nodes.size();
    for (Node*& before : node->after) before = copies[before];
    copies[original] = node;
    to.nodes.push_back(node);
    GraphData data = {&to, &from, node, nullptr, node->type, nullptr, executable ? &to : nullptr};
    // As the vendor's library tells it: made first, then a clone of another.
    tell(kNodeCreated, data);
    data.original_node = original;
    tell(kNodeCloned, data);
    for (Graph** body : {&node->body, &node->else_body}) {
      if (*body == nullptr) continue;
      Graph* const copied = make_graph();
      copied->executable = executable;
      copy_nodes(**body, *copied, executable);
      *body = copied;
    }
  }
  to.conditions = from.conditions;
}

/// Appends what the graph runs. `enter`: indices that its first nodes come behind; returns those that come last.
std::vector<size_t> flatten(Graph& graph, const Graph& launched, Operation& into, const std::vector<size_t>& enter,
                            uint32_t iteration) {
  std::map<Node*, std::vector<size_t>> ends;
  std::set<Node*> followed;
  for (Node* node : graph.nodes) {
    std::vector<size_t> before;
    for (Node* dependency : node->after) {
      followed.insert(dependency);
      before.insert(before.end(), ends[dependency].begin(), ends[dependency].end());
    }
    if (node->after.empty()) before = enter;
    if (node->body != nullptr) {
      uint32_t runs = 1;
      Graph* body = node->body;
      if (node->type == kTypeConditional) {
        const auto condition = launched.conditions.find(node->condition);
        const uint32_t value = condition == launched.conditions.end() ? 0 : condition->second;
        runs = node->condition_type == kWhile ? value : value != 0;
        if (runs == 0 && node->condition_type == kIf && node->else_body != nullptr) body = node->else_body, runs = 1;
      }
      for (uint32_t i = 0; i < runs; ++i)
        before = flatten(*body, launched, into, before, node->type == kTypeConditional ? i : iteration);
      ends[node] = before;
      continue;
    }
    if (node->work.name.empty()) {
      ends[node] = before;
      continue;
    }
    Work work = node->work;
    work.execution.graph_node = node->id;
    work.execution.graph = launched.id;
    work.execution.iteration = iteration;
    into.works.push_back(std::move(work));
    into.dependencies.push_back(before);
    ends[node] = {into.works.size() - 1};
  }
  std::vector<size_t> last;
  for (Node* node : graph.nodes)
    if (!followed.count(node)) last.insert(last.end(), ends[node].begin(), ends[node].end());
  return last.empty() ? enter : last;
}

}  // namespace

Graph* make_graph() {
  State& s = state();
  auto* const graph = new Graph;
  {
    std::lock_guard held(s.lock);
    graph->id = ++s.graphs_made;
    s.live.insert(graph);
  }
  tell(kGraphCreated, {graph, nullptr, nullptr, nullptr, 0, nullptr, nullptr});
  return graph;
}

Node* add_node(Graph& graph, int type, std::vector<Node*> after) {
  auto* const node = new Node;
  node->id = (static_cast<uint64_t>(graph.id) << 32) + graph.nodes.size();
  node->type = type;
  node->graph = &graph;
  node->after = std::move(after);
  graph.nodes.push_back(node);
  tell(kNodeCreated, {&graph, nullptr, node, nullptr, type, nullptr, nullptr});
  return node;
}

Graph* copy_graph(Graph& original, bool executable, Context* context) {
  Graph* const graph = make_graph();
  graph->executable = executable;
  graph->context = context;
  copy_nodes(original, *graph, executable);
  if (executable)
    tell(kExecutableCreated, {&original, nullptr, nullptr, nullptr, 0, nullptr, graph});
  else
    tell(kGraphCloned, {graph, &original, nullptr, nullptr, 0, nullptr, nullptr});
  return graph;
}

void destroy_graph(Graph* graph, bool executable) {
  for (Node* node : graph->nodes) {
    tell(kNodeDestroyed, {graph, nullptr, node, nullptr, node->type, nullptr, executable ? graph : nullptr});
    if (node->body != nullptr) destroy_graph(node->body, executable);
    if (node->else_body != nullptr) destroy_graph(node->else_body, executable);
    delete node;
  }
  graph->nodes.clear();
  tell(executable ? uint32_t{kExecutableDestroyed} : uint32_t{kGraphDestroyed},
       {graph, nullptr, nullptr, nullptr, 0, nullptr, executable ? graph : nullptr});
  std::lock_guard held(state().lock);
  state().live.erase(graph);
}

Operation graph_operation(Graph& graph, Stream& stream) {
  Operation operation;
  flatten(graph, graph, operation, {}, 0);
  const Origin origin = here();
  uint32_t ordinal = 0;
  for (Work& work : operation.works) {
    fake_execution& e = work.execution;
    e.queued = now();
    e.device = static_cast<uint32_t>(stream.context->device);
    e.context = stream.context->id;
    e.stream = stream.id;
    e.correlation = correlation_here();
    e.ordinal = ordinal++;
    e.graph_size = static_cast<uint32_t>(operation.works.size());
    work.origin = origin;
    tell_launch(e, work.name.c_str());
  }
  return operation;
}

}  // namespace fake
