#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "bound/bounds/bounds.h"
#include "test/bound/bounds/fused_group_cases.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

/// A model, candidates and times, made at random.
struct RandomCase {
  LayeredModel model;
  std::vector<LayerTime> times;
  std::vector<FusedGroup> groups;
  std::vector<LayerTime> group_times;

  explicit RandomCase(std::mt19937* random) {
    const auto below = [&](size_t limit) { return static_cast<size_t>((*random)() % limit); };
    std::vector<std::vector<size_t>> producers(3 + below(9));
    for (size_t layer = 1; layer < producers.size(); ++layer) {
      std::set<size_t> read = {layer - 1 - below(std::min<size_t>(layer, 2))};
      while (below(3) == 0) read.insert(below(layer));
      producers[layer].assign(read.begin(), read.end());
    }
    model = graph_of(producers);
    for (size_t layer = 0; layer < producers.size(); ++layer) {
      LayerTime& time = times.emplace_back(time_of_ms(1 + static_cast<double>(below(64)) / 8));
      if (below(8) == 0) time.bound_ms.reset();
      if (below(8) == 0) {
        time.bound_ms = 0;
        time.counts = false;
      }
    }
    for (size_t count = below(14); count > 0; --count) add_group(below);
  }

  /// Any layers; most sets are no groups.
  template <typename Below>
  void add_group(const Below& below) {
    std::set<size_t> members = {below(model.layers.size())};
    for (size_t more = 1 + below(3); more > 0; --more) {
      members.insert(std::min(*members.rbegin() + 1 + below(2), model.layers.size() - 1));
    }
    FusedGroup group = group_of_layers({members.begin(), members.end()});
    if (below(3) == 0) {
      group.inner_operand = group.layers.front();
      const Layers& read = model.layers[group.layers.back()].producers;
      if (!read.empty()) group.outer_operand = read.front();
    }
    groups.push_back(group);
    LayerTime& time = group_times.emplace_back(time_of_ms(1 + static_cast<double>(below(128)) / 8));
    if (below(6) == 0) time.bound_ms.reset();
  }

  Bounds bounds(const JoinedTrace* trace = nullptr) const {
    return make_bounds(model, times, {groups, group_times, trace});
  }
};

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

/// By which node of the condensed graph a layer is computed: its taken group, else itself.
std::vector<size_t> nodes_with(const Bounds& bounds, const std::vector<size_t>& groups) {
  std::vector<size_t> node_of(bounds.times.size());
  for (size_t layer = 0; layer < node_of.size(); ++layer) node_of[layer] = layer;
  for (const size_t group : groups) {
    for (const size_t layer : bounds.groups[group].layers) node_of[layer] = bounds.groups[group].layers.back();
  }
  return node_of;
}

/// The longest way through a graph of nodes, found by walking back from each; less than 0 where there is a cycle.
class Walk {
 public:
  Walk(const Bounds& bounds, const std::vector<size_t>& groups) : node_of_(nodes_with(bounds, groups)) {
    for (size_t layer = 0; layer < node_of_.size(); ++layer) {
      if (node_of_[layer] == layer) weights_[layer] = bounds.times[layer].bound_ms.value_or(0);
      for (const size_t producer : bounds.model->layers[layer].producers) {
        if (node_of_[producer] != node_of_[layer]) reads_[node_of_[layer]].insert(node_of_[producer]);
      }
    }
    for (const size_t group : groups)
      weights_[bounds.groups[group].layers.back()] = *bounds.group_times[group].bound_ms;
  }

  double longest() {
    double longest = 0;
    for (const auto& [node, weight] : weights_) longest = std::max(longest, longest_to(node));
    return has_cycle_ ? -1 : longest;
  }

 private:
  double longest_to(size_t node) {
    if (!on_way_.insert(node).second) {
      has_cycle_ = true;
      return 0;
    }
    double before = 0;
    for (const size_t read : reads_[node]) before = std::max(before, has_cycle_ ? 0 : longest_to(read));
    on_way_.erase(node);
    return before + weights_[node];
  }

  std::vector<size_t> node_of_;
  std::map<size_t, double> weights_;
  std::map<size_t, std::set<size_t>> reads_;
  std::set<size_t> on_way_;
  bool has_cycle_ = false;
};

/// Whether each step of the path follows an edge from what was there before it, and its weights add up.
void check_path(const Bounds& bounds, const BoundMode& mode) {
  const ParallelBound& parallel = mode.parallel;
  std::vector<size_t> at_once;
  for (const size_t group : mode.groups) {
    if (std::count(parallel.apart.begin(), parallel.apart.end(), group) == 0) at_once.push_back(group);
  }
  const std::vector<size_t> node_of = nodes_with(bounds, at_once);
  double walked = 0;
  for (size_t step = 0; step < parallel.path.size(); ++step) {
    const size_t layer = parallel.path[step];
    walked += parallel.weights_ms[layer];
    if (step == 0 || node_of[parallel.path[step - 1]] == node_of[layer]) continue;
    bool follows = false;
    for (size_t member = 0; member < node_of.size(); ++member) {
      if (node_of[member] != node_of[layer]) continue;
      for (const size_t producer : bounds.model->layers[member].producers) {
        follows = follows || node_of[producer] == node_of[parallel.path[step - 1]];
      }
    }
    CHECK(follows);
  }
  CHECK(walked == Approx(parallel.bound_ms));
  for (const size_t group : at_once) {
    const Layers& members = bounds.groups[group].layers;
    const auto place = std::search(parallel.path.begin(), parallel.path.end(), members.begin(), members.end());
    const bool is_touched = std::any_of(members.begin(), members.end(), [&](size_t layer) {
      return std::count(parallel.path.begin(), parallel.path.end(), layer) != 0;
    });
    CHECK((place != parallel.path.end()) == is_touched);
  }
}

}  // namespace

TEST_CASE("fused bounds of random graphs are those of every way to count, and never above the layers'") {
  std::mt19937 random(11);
  size_t taken = 0, apart = 0;
  for (int round = 0; round < 3000; ++round) {
    const RandomCase one(&random);
    const Bounds bounds = one.bounds();
    const BoundMode& fused = bounds.fused();
    CHECK(bounds.contradiction.empty());

    // No layer is computed twice, each group is faster than its layers, and only its last one is read from outside.
    double expected = 0;
    std::set<size_t> covered;
    for (const size_t group : fused.groups) {
      double parts = 0;
      for (const size_t layer : bounds.groups[group].layers) {
        CHECK(covered.insert(layer).second);
        CHECK(fused.group_of[layer] == group);
        parts += bounds.times[layer].bound_ms.value_or(0);
      }
      CHECK(bounds.decisions[group].is_taken());
      CHECK(bounds.decisions[group].parts_ms == Approx(parts));
      REQUIRE(bounds.group_times[group].bound_ms);
      CHECK(*bounds.group_times[group].bound_ms < parts);
      expected += *bounds.group_times[group].bound_ms;
    }
    size_t missing = 0;
    for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
      if (covered.contains(layer)) continue;
      CHECK(fused.group_of[layer] == kNoGroup);
      expected += bounds.times[layer].bound_ms.value_or(0);
      missing += bounds.times[layer].counts && !bounds.times[layer].bound_ms ? 1 : 0;
    }
    CHECK(fused.sequential.bound_ms == Approx(expected));
    CHECK(fused.sequential.missing == missing);
    CHECK(sum_of(fused.weights_ms) == Approx(expected));
    CHECK(fused.sequential.bound_ms <= bounds.layers().sequential.bound_ms * (1 + 1e-12));
    CHECK(fused.parallel.bound_ms <= bounds.layers().parallel.bound_ms * (1 + 1e-12));
    CHECK(fused.parallel.bound_ms <= fused.sequential.bound_ms * (1 + 1e-12));

    // The least of the longest paths over all choices which of the taken groups are computed at once.
    double least = std::numeric_limits<double>::infinity();
    for (size_t choice = 0; choice < size_t{1} << fused.groups.size(); ++choice) {
      std::vector<size_t> at_once;
      for (size_t i = 0; i < fused.groups.size(); ++i) {
        if ((choice >> i & 1) != 0) at_once.push_back(fused.groups[i]);
      }
      const double longest = Walk(bounds, at_once).longest();
      REQUIRE(longest >= 0);  // no cycle
      least = std::min(least, longest);
    }
    CHECK(fused.parallel.bound_ms == Approx(least));
    check_path(bounds, fused);
    taken += fused.groups.size();
    apart += fused.parallel.apart.size();
  }
  // The cases are worth their name.
  CHECK(taken > 900);
  CHECK(apart > 5);
}

TEST_CASE("what a trace observed is counted once, whatever groups lie across its layers") {
  std::mt19937 random(12);
  size_t faster = 0;
  for (int round = 0; round < 2000; ++round) {
    const RandomCase one(&random);
    JoinedTrace trace;
    trace.layers.resize(1 + random() % 5);
    for (TraceLayer& layer : trace.layers) layer.least_ms = static_cast<double>(random() % 200) / 8;
    for (size_t layer = 0; layer < one.model.layers.size(); ++layer) {
      const size_t by = random() % (trace.layers.size() + 1);
      if (by < trace.layers.size()) trace.layers[by].layers.push_back(layer);
    }
    const Bounds bounds = one.bounds(&trace);
    const BoundMode& fused = bounds.fused();
    const BoundMode* best = bounds.mode("best_known");
    REQUIRE(best != nullptr);
    CHECK(bounds.contradiction.empty());
    CHECK(best->sequential.bound_ms <= fused.sequential.bound_ms * (1 + 1e-12));
    CHECK(best->parallel.bound_ms <= fused.parallel.bound_ms * (1 + 1e-12));
    CHECK(best->sequential.bound_ms == Approx(sum_of(best->weights_ms)));
    check_path(bounds, *best);

    // Shares of what the layers of the trace ran add up to the bound, with what was not found.
    double shared = 0;
    for (const LayerShare& share : fused.shares) shared += share.bound_ms.value_or(0);
    CHECK(shared == Approx(fused.sequential.bound_ms));

    // Where no group lies across layers of the trace each is compared by itself.
    std::vector<size_t> owner(one.model.layers.size(), SIZE_MAX);
    for (size_t at = 0; at < trace.layers.size(); ++at) {
      for (const size_t layer : trace.layers[at].layers) owner[layer] = at;
    }
    const bool is_plain = std::all_of(fused.groups.begin(), fused.groups.end(), [&](size_t group) {
      const Layers& members = bounds.groups[group].layers;
      return std::all_of(members.begin(), members.end(),
                         [&](size_t layer) { return owner[layer] == owner[members[0]]; });
    });
    if (is_plain) {
      double expected = 0;
      for (size_t layer = 0; layer < owner.size(); ++layer) {
        if (owner[layer] == SIZE_MAX) expected += fused.weights_ms[layer];
      }
      for (const TraceLayer& layer : trace.layers) {
        double bound = 0;
        for (const size_t of_model : layer.layers) bound += fused.weights_ms[of_model];
        expected += layer.least_ms > 0 ? std::min(bound, layer.least_ms) : bound;
      }
      CHECK(best->sequential.bound_ms == Approx(expected));
    }
    for (const Bounds::Faster& one_faster : bounds.faster) {
      const TraceLayer& layer = trace.layers[one_faster.trace_layer];
      CHECK(layer.least_ms < one_faster.bound_ms);
      // A share of a group, or a sum, is no benchmark: it ran one layer, or just those of a group.
      const auto counted = [&](Layers layers) {
        std::erase_if(layers, [&](size_t of_model) { return !bounds.times[of_model].counts; });
        return layers;
      };
      const Layers ran = counted(layer.layers);
      bool is_exact = ran.size() == 1 && one_faster.bound_ms <= *bounds.times[ran[0]].bound_ms;
      for (size_t group = 0; group < bounds.groups.size(); ++group) {
        const auto& together = bounds.group_times[group].bound_ms;
        is_exact |= ran.size() > 1 && together && counted(bounds.groups[group].layers) == ran &&
                    one_faster.bound_ms <= *together;
      }
      CHECK(is_exact);
      ++faster;
    }
  }
  CHECK(faster > 100);
}
