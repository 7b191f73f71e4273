#include "bound/onnx/node_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bound/onnx/node_text.h"
#include "bound/onnx/reading.h"

namespace xsp::bound {
namespace {

/// Views of names stay valid while nodes are moved: the texts lie in the nodes' own lists.
using NameSet = std::unordered_set<std::string_view>;

/// Writer of a value that is an input or an initializer.
constexpr size_t kNoNode = SIZE_MAX;

Status order_fault(std::string error) { return {std::move(error), kHintDamaged, kExitBadModel}; }

class GraphOrder {
 public:
  explicit GraphOrder(Graph& graph) : graph_(graph), inner_(graph.nodes.size()) {}

  /// Orders the graph; `outside`, unless it is null, gets the names that it takes from the graphs around it.
  Status run(NameSet* outside) {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (Attribute& attribute : graph_.nodes[i].attributes) {
        for (Graph& graph : attribute.graphs) {
          if (Status status = GraphOrder(graph).run(&inner_[i]); !status.ok()) return status;
        }
      }
    }
    if (Status status = find_writers(); !status.ok()) return status;
    if (outside == nullptr) {
      if (Status status = check_reads(); !status.ok()) return status;
    } else {
      find_outside(outside);
    }
    return is_in_order() ? Status{} : sort();
  }

 private:
  Status find_writers() {
    size_t names = graph_.initializers.size() + graph_.inputs.size();
    for (const Node& node : graph_.nodes) names += node.outputs.size();
    writers_.reserve(names);
    for (const ConstantTensor& tensor : graph_.initializers) writers_.try_emplace(tensor.name, kNoNode);
    for (const DeclaredValue& value : graph_.inputs) writers_.try_emplace(value.name, kNoNode);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& output : graph_.nodes[i].outputs) {
        if (output.empty() || writers_.try_emplace(output, i).second) continue;
        return order_fault("value " + name_text(output) + " is written twice, the second time by " +
                           node_text(graph_.nodes[i]));
      }
    }
    return {};
  }

  /// Calls `visit(writer)` for each node that writes what node `i` reads.
  template <typename Visit>
  void each_writer(size_t i, Visit visit) const {
    const auto look_up = [&](std::string_view name) {
      const auto found = writers_.find(name);
      if (found != writers_.end() && found->second != kNoNode) visit(found->second);
    };
    for (const std::string& input : graph_.nodes[i].inputs) look_up(input);
    for (const std::string_view name : inner_[i]) look_up(name);
  }

  Status check_reads() const {
    for (const Node& node : graph_.nodes) {
      for (const std::string& input : node.inputs) {
        if (input.empty() || writers_.contains(input)) continue;
        return order_fault(node_text(node) + " reads " + name_text(input) + ", which nothing writes");
      }
    }
    return {};
  }

  void find_outside(NameSet* outside) const {
    const auto add = [&](std::string_view name) {
      if (!name.empty() && !writers_.contains(name)) outside->insert(name);
    };
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& input : graph_.nodes[i].inputs) add(input);
      for (const std::string_view name : inner_[i]) add(name);
    }
    for (const DeclaredValue& value : graph_.outputs) add(value.name);
  }

  bool is_in_order() const {
    bool in_order = true;
    for (size_t i = 0; in_order && i < graph_.nodes.size(); ++i) {
      each_writer(i, [&](size_t writer) { in_order = in_order && writer < i; });
    }
    return in_order;
  }

  /// Of the nodes that are ready always the first one.
  Status sort() {
    const size_t count = graph_.nodes.size();
    std::vector<size_t> waits_for(count);  // how many reads of values that are not there yet
    std::vector<std::vector<size_t>> readers(count);
    for (size_t i = 0; i < count; ++i) {
      each_writer(i, [&](size_t writer) {
        readers[writer].push_back(i);
        ++waits_for[i];
      });
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i) {
      if (waits_for[i] == 0) ready.push(i);
    }
    std::vector<size_t> order;
    order.reserve(count);
    while (!ready.empty()) {
      const size_t node = ready.top();
      ready.pop();
      order.push_back(node);
      for (const size_t reader : readers[node]) {
        if (--waits_for[reader] == 0) ready.push(reader);
      }
    }
    if (order.size() != count) {
      return order_fault("a cycle: " + node_text(graph_.nodes[node_of_cycle(waits_for)]) +
                         " reads what is computed from its own output");
    }
    std::vector<Node> sorted;
    sorted.reserve(count);
    for (const size_t node : order) sorted.push_back(std::move(graph_.nodes[node]));
    graph_.nodes = std::move(sorted);
    return {};
  }

  /// A node that still waits may only follow a cycle; from writer to writer one comes to the cycle itself.
  size_t node_of_cycle(const std::vector<size_t>& waits_for) const {
    size_t node = static_cast<size_t>(std::ranges::find_if(waits_for, [](size_t reads) { return reads > 0; }) -
                                      waits_for.begin());
    for (std::vector<bool> seen(waits_for.size()); !seen[node];) {
      seen[node] = true;
      each_writer(node, [&, from = node](size_t writer) {
        if (node == from && waits_for[writer] > 0) node = writer;
      });
    }
    return node;
  }

  Graph& graph_;
  std::vector<NameSet> inner_;  // what the graphs of each node read from outside
  std::unordered_map<std::string_view, size_t> writers_;
};

}  // namespace

Status order_nodes(Graph* graph) { return GraphOrder(*graph).run(nullptr); }

}  // namespace xsp::bound
