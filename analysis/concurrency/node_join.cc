#include "analysis/concurrency/node_join.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/concurrency/node_names.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kNoNode = UINT32_MAX;
constexpr size_t kMostEqual = 16;  // nodes with a layer that one without may be equal to

/// What a name is of; of several it is of none.
class UniqueNames {
 public:
  void add(std::string_view name, uint32_t of) {
    if (name.empty()) return;
    const auto [found, is_new] = of_.try_emplace(name, of);
    if (!is_new && found->second != of) found->second = kNoNode;
  }
  bool has(std::string_view name) const { return of_.contains(name); }
  uint32_t find(std::string_view name) const {
    const auto found = of_.find(name);
    return found == of_.end() ? kNoNode : found->second;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> of_;
};

class NodeJoiner {
 public:
  NodeJoiner(const NodeGraph& graph, const std::vector<NamedLayer>& layers) : graph_(graph), layers_(layers) {
    join_.layer_of.assign(graph.nodes.size(), kNoLayerOfNode);
    join_.is_joined.assign(layers.size(), false);
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      nodes_.add(graph.nodes[i].name, i);
      for (const std::string& output : graph.nodes[i].outputs) values_.add(output, i);
    }
    for (uint32_t i = 0; i < layers.size(); ++i) names_.add(layers[i].name, i);
  }

  NodeJoin run() {
    for (const bool is_exact : {true, false}) {
      for (uint32_t i = 0; i < layers_.size(); ++i) join_by_name(i, is_exact);
    }
    join_splits();
    join_modules();
    find_equal();
    join_fused();
    return std::move(join_);
  }

 private:
  bool is_free(uint32_t node) const { return node != kNoNode && join_.layer_of[node] == kNoLayerOfNode; }

  void join(uint32_t node, uint32_t layer) {
    join_.layer_of[node] = layer;
    join_.is_joined[layer] = true;
  }

  void join_by_name(uint32_t layer, bool is_exact) {
    const NamedLayer& named = layers_[layer];
    if (join_.is_joined[layer] || names_.find(named.name) != layer) return;
    if (is_exact) {
      if (const uint32_t node = nodes_.find(named.name); is_free(node)) join(node, layer);
      return;
    }
    for (const NameReading& reading : readings_of(named.name, named.type)) {
      uint32_t node = reading.is_value ? values_.find(reading.name) : nodes_.find(reading.name);
      if (node == kNoNode && !reading.is_value) node = values_.find(reading.name);
      if (!is_free(node)) continue;
      join(node, layer);
      if (reading.fusion == "GatherSliceToSplitFusion") splits_.push_back(node);
      return;
    }
  }

  /// The other slices of the tensors that splits are of.
  void join_splits() {
    if (splits_.empty()) return;
    const auto is_slice = [](const GraphNode& node) { return node.type == "Gather" || node.type == "Slice"; };
    std::unordered_map<std::string_view, uint32_t> split_of;  // by tensor
    for (const uint32_t node : splits_) {
      if (!graph_.nodes[node].inputs.empty()) split_of.try_emplace(graph_.nodes[node].inputs.front(), node);
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (!is_free(i) || !is_slice(node) || node.inputs.empty()) continue;
      const auto found = split_of.find(node.inputs.front());
      if (found != split_of.end() && !names_.has(node.name)) join(i, join_.layer_of[found->second]);
    }
  }

  /// Nodes without a layer wait for those with one that may compute the same: of one type, of the same values, any
  /// constants taken for equal.
  void find_equal() {
    using Key = std::pair<std::string_view, std::vector<uint32_t>>;  // type, and values by number
    constexpr uint32_t kConstant = 0;
    std::unordered_map<std::string_view, uint32_t> number_of;
    std::map<Key, std::vector<uint32_t>> nodes_of;
    uint32_t count = kConstant;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (node.type == "Constant") {
        for (const std::string& output : node.outputs) number_of[output] = kConstant;
        continue;
      }
      Key key{node.type, {}};
      for (const std::string& input : node.inputs) {
        const auto [found, is_new] = number_of.try_emplace(input, count + 1);
        if (is_new) ++count;
        key.second.push_back(found->second);
      }
      std::vector<uint32_t>& equal = nodes_of[std::move(key)];
      equal.push_back(i);
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        const auto& first = graph_.nodes[equal.front()].outputs;
        if (const auto same = k < first.size() ? number_of.find(first[k]) : number_of.end(); same != number_of.end()) {
          number_of[node.outputs[k]] = same->second;
        } else {
          number_of[node.outputs[k]] = ++count;
        }
      }
    }
    for (const auto& [key, equal] : nodes_of) add_equal(equal);
  }

  void add_equal(const std::vector<uint32_t>& equal) {
    std::vector<uint32_t> with_layer;
    for (const uint32_t node : equal) {
      if (!is_free(node) && layers_[join_.layer_of[node]].is_node) with_layer.push_back(node);
    }
    if (with_layer.size() > kMostEqual) with_layer.resize(kMostEqual);
    for (const uint32_t node : equal) {
      if (!is_free(node)) continue;
      for (const uint32_t other : with_layer) join_.also_after.emplace_back(node, other);
    }
  }

  void join_modules() {
    std::unordered_map<std::string, std::vector<uint32_t>> calls;
    for (uint32_t i = 0; i < layers_.size(); ++i) {
      if (layers_[i].is_module && !join_.is_joined[i]) calls[module_of_layer(layers_[i].name, false)].push_back(i);
    }
    if (calls.empty()) return;
    std::unordered_map<std::string, std::vector<uint32_t>> nodes;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      bool has_module = false;
      if (!is_free(i)) continue;
      const std::string module = module_of_node(graph_.nodes[i].name, &has_module);
      if (has_module && calls.contains(module)) nodes[module].push_back(i);
    }
    for (const auto& [module, of_module] : nodes) {
      const std::vector<uint32_t>& layers = calls[module];
      if (of_module.size() % layers.size() != 0) continue;
      const size_t each = of_module.size() / layers.size();
      for (size_t i = 0; i < of_module.size(); ++i) join(of_module[i], layers[i / each]);
    }
  }

  void join_fused() {
    // By node the first and the last of the layers that it needs, through nodes without a layer.
    struct Needs {
      uint32_t first = kNoLayerOfNode;
      uint32_t last = 0;
    };
    std::vector<Needs> needs(graph_.nodes.size());
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const uint32_t before : graph_.nodes[i].after) {
        const uint32_t layer = join_.layer_of[before];
        const Needs of = layer == kNoLayerOfNode ? needs[before] : Needs{layer, layer};
        if (of.first == kNoLayerOfNode) continue;
        needs[i].last = needs[i].first == kNoLayerOfNode ? of.last : std::max(needs[i].last, of.last);
        needs[i].first = std::min(needs[i].first, of.first);
      }
      const bool needs_several = needs[i].first != kNoLayerOfNode && needs[i].first != needs[i].last;
      if (needs_several && is_free(i) && layers_[needs[i].last].is_node) join(i, needs[i].last);
    }
  }

  const NodeGraph& graph_;
  const std::vector<NamedLayer>& layers_;
  NodeJoin join_;
  UniqueNames nodes_;
  UniqueNames values_;
  UniqueNames names_;             // of layers
  std::vector<uint32_t> splits_;  // nodes that became splits
};

}  // namespace

NodeJoin join_nodes(const NodeGraph& graph, const std::vector<NamedLayer>& layers) {
  return NodeJoiner(graph, layers).run();
}

}  // namespace xsp::analysis
