#include "bound/bounds/condensed_graph.h"

#include <algorithm>

namespace xsp::bound {
namespace {

/// Goes through the layers once, each group at its last layer: all that it reads lies before.
class ReadyTimes {
 public:
  ReadyTimes(std::span<const Layer> layers, std::span<const FusedGroup> groups, const GroupChoice& choice,
             std::span<const double> layer_ms, std::span<const double> group_ms)
      : layers_(layers), groups_(groups), choice_(choice), layer_ms_(layer_ms), ready_(layers.size()) {
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      const size_t group = choice.group_of[layer];
      if (group == kNoGroup) {
        add_layer(layer);
      } else if (groups[group].layers.back() == layer) {
        add_group(group, group_ms[group]);
      }
    }
  }

  std::vector<double> take_times() { return std::move(ready_); }
  std::vector<size_t> take_apart() { return std::move(apart_); }

 private:
  void add_layer(size_t layer) {
    double begin = 0;
    for (const size_t producer : layers_[layer].producers) begin = std::max(begin, ready_[producer]);
    ready_[layer] = begin + layer_ms_[layer];
  }

  void add_group(size_t group, double ms) {
    const std::vector<size_t>& members = groups_[group].layers;
    double begin = 0;
    for (const size_t layer : members) {
      for (const size_t producer : layers_[layer].producers) {
        if (choice_.group_of[producer] != group) begin = std::max(begin, ready_[producer]);
      }
    }
    for (const size_t layer : members) add_layer(layer);
    if (begin + ms > ready_[members.back()]) {
      apart_.push_back(group);
    } else {
      for (const size_t layer : members) ready_[layer] = begin + ms;
    }
  }

  std::span<const Layer> layers_;
  std::span<const FusedGroup> groups_;
  const GroupChoice& choice_;
  std::span<const double> layer_ms_;
  std::vector<double> ready_;
  std::vector<size_t> apart_;
};

constexpr size_t kNoNode = SIZE_MAX;

}  // namespace

std::vector<double> ready_times(std::span<const Layer> layers, std::span<const FusedGroup> groups,
                                const GroupChoice& choice, std::span<const double> layer_ms,
                                std::span<const double> group_ms) {
  return ReadyTimes(layers, groups, choice, layer_ms, group_ms).take_times();
}

CondensedPath condensed_path(std::span<const Layer> layers, std::span<const FusedGroup> groups,
                             const GroupChoice& choice, std::span<const double> layer_ms,
                             std::span<const double> group_ms) {
  CondensedPath condensed;
  condensed.apart = ReadyTimes(layers, groups, choice, layer_ms, group_ms).take_apart();
  std::vector<size_t> group_of = choice.group_of;
  for (const size_t group : condensed.apart) {
    for (const size_t layer : groups[group].layers) group_of[layer] = kNoGroup;
  }

  // Nodes are layers and groups, by their last layers.
  std::vector<size_t> node_of(layers.size(), kNoNode);
  std::vector<size_t> last_of;  // by node
  std::vector<double> weights;  // by node
  condensed.weights_ms.resize(layers.size());
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    const size_t group = group_of[layer];
    if (group != kNoGroup && groups[group].layers.back() != layer) continue;
    const double ms = group == kNoGroup ? layer_ms[layer] : group_ms[group];
    if (group == kNoGroup) node_of[layer] = last_of.size();
    if (group != kNoGroup) {
      for (const size_t member : groups[group].layers) node_of[member] = last_of.size();
    }
    last_of.push_back(layer);
    weights.push_back(ms);
    condensed.weights_ms[layer] = ms;
  }
  std::vector<std::vector<size_t>> producers(last_of.size());
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    const size_t node = node_of[layer];
    for (const size_t producer : layers[layer].producers) {
      // What leads to no work may read within a group, which is done only later.
      if (node_of[producer] < node) producers[node].push_back(node_of[producer]);
    }
  }

  const LongestPath path = longest_path_through(producers, weights);
  condensed.path.length = path.length;
  for (const size_t node : path.layers) {
    const size_t group = group_of[last_of[node]];
    if (group == kNoGroup) {
      condensed.path.layers.push_back(last_of[node]);
    } else {
      const std::vector<size_t>& members = groups[group].layers;
      condensed.path.layers.insert(condensed.path.layers.end(), members.begin(), members.end());
    }
  }
  return condensed;
}

}  // namespace xsp::bound
