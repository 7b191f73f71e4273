#include "bound/bounds/longest_path.h"

#include <random>

#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

using Path = std::vector<size_t>;

/// The length of the dearest of all ways that end with a layer, each walked by itself.
double longest_way_to(const LayeredModel& model, const std::vector<double>& weights, size_t layer) {
  double longest = 0;
  for (const size_t producer : model.layers[layer].producers) {
    longest = std::max(longest, longest_way_to(model, weights, producer));
  }
  return longest + weights[layer];
}

}  // namespace

TEST_CASE("the longest path is the dearest of all ways through random graphs") {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::vector<size_t>> producers(1 + random() % 14);
    std::vector<double> weights;
    for (size_t layer = 0; layer < producers.size(); ++layer) {
      for (size_t producer = 0; producer < layer; ++producer) {
        if (random() % 4 == 0) producers[layer].push_back(producer);
      }
      weights.push_back(static_cast<double>(random() % 4));  // zeros and equal ways among them
    }
    const LayeredModel model = graph_of(producers);
    double expected = 0;
    for (size_t layer = 0; layer < producers.size(); ++layer) {
      expected = std::max(expected, longest_way_to(model, weights, layer));
    }

    const LongestPath path = longest_path(model.layers, weights);
    CHECK(path.length == expected);
    double walked = 0;
    for (size_t step = 0; step < path.layers.size(); ++step) {
      walked += weights[path.layers[step]];
      if (step == 0) continue;
      const Path& before = producers[path.layers[step]];
      CHECK(std::count(before.begin(), before.end(), path.layers[step - 1]) == 1);
    }
    CHECK(walked == expected);
    CHECK(path.layers.empty() == (expected == 0));
    if (!path.layers.empty()) {
      CHECK(weights[path.layers.front()] > 0);
      CHECK(weights[path.layers.back()] > 0);
    }
  }
}

TEST_CASE("of equal paths the one over earlier layers is taken") {
  const LayeredModel model = graph_of({{}, {0}, {0}, {2, 1}, {3}});
  CHECK(longest_path(model.layers, std::vector<double>{1, 2, 2, 1, 0}).layers == Path{0, 1, 3});
  CHECK(longest_path(model.layers, std::vector<double>{0, 2, 3, 0, 1}).layers == Path{2, 3, 4});
  CHECK(longest_path(graph_of({{}, {}, {}}).layers, std::vector<double>{1, 2, 2}).layers == Path{1});
}

TEST_CASE("a path passes through layers that cost nothing, but neither begins nor ends with one") {
  const LayeredModel model = graph_of({{}, {0}, {1}, {2}, {3}});
  const LongestPath path = longest_path(model.layers, std::vector<double>{0, 1, 0, 1, 0});
  CHECK(path.layers == Path{1, 2, 3});
  CHECK(path.length == 2);
  CHECK(longest_path(model.layers, std::vector<double>(5, 0.0)).layers.empty());
  CHECK(longest_path({}, {}).layers.empty());
}

TEST_CASE("no path through numbers that round is longer than their sum, and that of a chain is equal to it") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> duration(0, 1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<size_t>> chain(200), branching(200);
    std::vector<double> weights;
    double sum = 0;
    for (size_t layer = 0; layer < chain.size(); ++layer) {
      if (layer > 0) chain[layer] = {layer - 1};
      if (layer > 0) branching[layer] = {layer - 1 - random() % std::min<size_t>(layer, 2)};
      weights.push_back(duration(random));
      sum += weights.back();
    }
    CHECK(longest_path(graph_of(chain).layers, weights).length == sum);
    CHECK(longest_path(graph_of(branching).layers, weights).length <= sum);
  }
}

TEST_CASE("a chain of a million layers is walked in one pass") {
  constexpr size_t kLayers = 1000000;
  std::vector<Layer> layers(kLayers);
  for (size_t layer = 1; layer < kLayers; ++layer) layers[layer].producers = {layer - 1};
  const LongestPath path = longest_path(layers, std::vector<double>(kLayers, 1.0));
  CHECK(path.length == static_cast<double>(kLayers));
  CHECK(path.layers.size() == kLayers);
}
