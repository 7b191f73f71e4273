#include "analysis/concurrency/operation_graph.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

constexpr uint32_t kNotSeen = UINT32_MAX;
constexpr uint64_t kMostCells = uint64_t{1} << 28;  // vertices · those that are asked for, in one direction

/// Layers with all their nodes, and the nodes without a layer: one unit each.
struct Units {
  std::vector<uint32_t> layer;
  std::vector<std::vector<uint32_t>> after;
};

Units units_of(const NodeGraph& graph, const NodeJoin& join) {
  Units units;
  std::vector<uint32_t> of_layer(join.is_joined.size(), kNotSeen);
  std::vector<uint32_t> of_node(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const uint32_t layer = join.layer_of[i];
    if (layer != kNoLayerOfNode && of_layer[layer] != kNotSeen) {
      of_node[i] = of_layer[layer];
      continue;
    }
    of_node[i] = static_cast<uint32_t>(units.layer.size());
    if (layer != kNoLayerOfNode) of_layer[layer] = of_node[i];
    units.layer.push_back(layer);
  }
  units.after.resize(units.layer.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const uint32_t before : graph.nodes[i].after) {
      if (of_node[before] != of_node[i]) units.after[of_node[i]].push_back(of_node[before]);
    }
  }
  for (const auto& [node, before] : join.also_after) {
    if (of_node[before] != of_node[node]) units.after[of_node[node]].push_back(of_node[before]);
  }
  return units;
}

/// Tarjan's strongly connected components, without recursion. A component comes after those that it waits for.
class Components {
 public:
  explicit Components(const std::vector<std::vector<uint32_t>>& after)
      : after_(after), number_(after.size(), kNotSeen), lowest_(after.size()), is_open_(after.size()) {}

  std::vector<std::vector<uint32_t>> run() {
    for (uint32_t unit = 0; unit < after_.size(); ++unit) {
      if (number_[unit] == kNotSeen) visit(unit);
    }
    return std::move(found_);
  }

 private:
  struct Step {
    uint32_t unit;
    size_t next;  // of its `after`
  };

  void visit(uint32_t first) {
    std::vector<Step> path;
    enter(first, &path);
    while (!path.empty()) {
      const uint32_t unit = path.back().unit;
      if (path.back().next < after_[unit].size()) {
        const uint32_t before = after_[unit][path.back().next++];
        if (number_[before] == kNotSeen) {
          enter(before, &path);
        } else if (is_open_[before]) {
          lowest_[unit] = std::min(lowest_[unit], number_[before]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) lowest_[path.back().unit] = std::min(lowest_[path.back().unit], lowest_[unit]);
      if (lowest_[unit] == number_[unit]) close(unit);
    }
  }

  void enter(uint32_t unit, std::vector<Step>* path) {
    number_[unit] = lowest_[unit] = count_++;
    is_open_[unit] = true;
    open_.push_back(unit);
    path->push_back({unit, 0});
  }

  void close(uint32_t unit) {
    std::vector<uint32_t>& component = found_.emplace_back();
    do {
      component.push_back(open_.back());
      is_open_[open_.back()] = false;
      open_.pop_back();
    } while (component.back() != unit);
  }

  const std::vector<std::vector<uint32_t>>& after_;
  std::vector<uint32_t> number_;
  std::vector<uint32_t> lowest_;
  std::vector<bool> is_open_;
  std::vector<uint32_t> open_;
  std::vector<std::vector<uint32_t>> found_;
  uint32_t count_ = 0;
};

void make_unique(std::vector<uint32_t>* numbers) {
  std::ranges::sort(*numbers);
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

}  // namespace

OperationGraph contract(const NodeGraph& graph, const NodeJoin& join) {
  const Units units = units_of(graph, join);
  OperationGraph result;
  std::vector<uint32_t> last_of(units.layer.size());  // the vertex that ends a unit's component
  for (const std::vector<uint32_t>& component : Components(units.after).run()) {
    std::vector<uint32_t> layers;
    std::vector<uint32_t> after;
    for (const uint32_t unit : component) {
      if (units.layer[unit] != kNoLayerOfNode) layers.push_back(units.layer[unit]);
    }
    std::ranges::sort(layers);
    if (layers.empty()) layers.push_back(kNoLayerOfNode);
    const auto first = static_cast<uint32_t>(result.vertices.size());
    const auto last = static_cast<uint32_t>(first + layers.size() - 1);
    for (const uint32_t unit : component) last_of[unit] = last;
    for (const uint32_t unit : component) {
      for (const uint32_t before : units.after[unit]) {
        if (last_of[before] < first) after.push_back(last_of[before]);
      }
    }
    make_unique(&after);
    for (const uint32_t layer : layers) {
      const auto vertex = static_cast<uint32_t>(result.vertices.size());
      if (vertex != first) after = {vertex - 1};
      result.vertices.push_back({layer, std::move(after)});
    }
  }
  return result;
}

Independence::Independence(std::span<const std::vector<uint32_t>> after, const std::vector<uint32_t>& of)
    : known_(after.empty() ? 0 : std::min<size_t>(of.size(), kMostCells / after.size())), words_((known_ + 63) / 64) {
  if (known_ == 0) return;
  const auto row = [&](std::vector<uint64_t>& bits, size_t vertex) { return bits.data() + vertex * words_; };
  const auto merge = [&](std::vector<uint64_t>& bits, size_t from, size_t to) {
    for (size_t word = 0; word < words_; ++word) row(bits, to)[word] |= row(bits, from)[word];
  };
  std::vector<uint32_t> number(after.size(), kNotSeen);
  for (uint32_t i = 0; i < known_; ++i) number[of[i]] = i;
  const auto set_own = [&](std::vector<uint64_t>& bits, size_t vertex) {
    if (number[vertex] != kNotSeen) row(bits, vertex)[number[vertex] / 64] |= uint64_t{1} << number[vertex] % 64;
  };
  const auto rows_asked_for = [&](std::vector<uint64_t>& bits) {
    std::vector<uint64_t> asked;
    asked.reserve(known_ * words_);
    for (size_t i = 0; i < known_; ++i) asked.insert(asked.end(), row(bits, of[i]), row(bits, of[i]) + words_);
    return asked;
  };

  // Each vertex counts as one of its own.
  std::vector<uint64_t> all(after.size() * words_);
  for (size_t vertex = 0; vertex < after.size(); ++vertex) {
    set_own(all, vertex);
    for (const uint32_t before : after[vertex]) merge(all, before, vertex);
  }
  before_ = rows_asked_for(all);
  std::ranges::fill(all, 0);
  for (size_t vertex = after.size(); vertex-- > 0;) {
    set_own(all, vertex);
    for (const uint32_t before : after[vertex]) merge(all, vertex, before);
  }
  behind_ = rows_asked_for(all);
}

}  // namespace xsp::analysis
