#include <chrono>

#include "bound/bounds/bounds.h"
#include "bound/bounds/own_kernels.h"
#include "test/bound/bounds/fused_group_cases.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

TEST_CASE("the longest group that pays is taken, and a shorter one where it pays more") {
  const LayeredModel model = graph_of({{}, {0}, {1}});
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1}), group_of_layers({0, 1, 2})};
  const auto taken = [&](double two_ms, double three_ms) {
    return make_bounds(model, times_of_ms({4, 1, 1}), {groups, times_of_ms({two_ms, three_ms})}).fused().groups;
  };
  CHECK(taken(4.5, 4.75) == Layers{1});
  CHECK(taken(3.5, 4.75) == Layers{0});  // 3.5 and 1 by itself are less
  CHECK(taken(7, 7) == Layers{});
  const Bounds bounds = make_bounds(model, times_of_ms({4, 1, 1}), {groups, times_of_ms({4.5, 4.75})});
  CHECK(bounds.decisions[0].refusal == Refusal::kTaken);
  CHECK(bounds.decisions[0].rival == 1);
  CHECK(bounds.fused().weights_ms == std::vector<double>{0, 0, 4.75});
  CHECK(bounds.fused().parallel.path == Layers{0, 1, 2});
  CHECK(*bounds.fused().shares[0].bound_ms == Approx(4.75 * 4 / 6));
}

TEST_CASE("an addition joins the branch that is ready last") {
  // 0 → 1 → 2 → 4, 0 → 3 → 4, 4 → 5: a block with a convolution beside it.
  const LayeredModel model = graph_of({{}, {0}, {1}, {0}, {2, 3}, {4}});
  const std::vector<FusedGroup> groups = {group_of_layers({2, 4, 5}, 3, 2), group_of_layers({3, 4, 5}, 2, 3)};
  Bounds bounds = make_bounds(model, times_of_ms({1, 3, 3, 4, 0.5, 0.5}), {groups, times_of_ms({3.25, 4.25})});
  CHECK(bounds.fused().groups == Layers{0});
  CHECK(bounds.decisions[1].refusal == Refusal::kDelays);
  bounds = make_bounds(model, times_of_ms({1, 0.25, 0.25, 4, 0.5, 0.5}), {groups, times_of_ms({0.5, 4.25})});
  CHECK(bounds.fused().groups == Layers{1});
  CHECK(bounds.decisions[0].refusal == Refusal::kDelays);
  CHECK(bounds.fused().parallel.bound_ms == Approx(1 + 0.5 + 4.25));
  CHECK(bounds.fused().parallel.apart.empty());
}

TEST_CASE("a group that would wait for a branch beside it counts layer by layer on the parallel path alone") {
  const LayeredModel model = graph_of({{}, {0}, {0}, {1, 2}});
  const std::vector<FusedGroup> groups = {group_of_layers({2, 3}, 1, 2)};
  const Bounds bounds = make_bounds(model, times_of_ms({1, 9, 10, 1}), {groups, times_of_ms({10.5})});
  CHECK(bounds.fused().groups == Layers{0});
  CHECK(bounds.fused().sequential.bound_ms == Approx(20.5));
  CHECK(bounds.fused().parallel.bound_ms == Approx(12));  // not 1 + 9 + 10.5
  CHECK(bounds.fused().parallel.apart == Layers{0});
  CHECK(bounds.fused().parallel.path == Layers{0, 2, 3});
}

TEST_CASE("what is read within a group from outside makes it none") {
  const LayeredModel model = graph_of({{}, {0}, {1}, {0}, {2, 3}});
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1}), group_of_layers({1, 4}), group_of_layers({0, 9}),
                                          group_of_layers({2}),    group_of_layers({4, 3}), group_of_layers({1, 3})};
  const Bounds bounds =
      make_bounds(model, times_of_ms({1, 1, 1, 1, 1}), {groups, times_of_ms({0.5, 0.5, 0.5, 0.5, 0.5, 0.5})});
  CHECK(bounds.fused().groups.empty());
  for (const GroupDecision& decision : bounds.decisions) CHECK(decision.refusal == Refusal::kNotClosed);
}

TEST_CASE("what leads to no work may read within a group, as long as the group does not read it") {
  // 0 → 1 → 3, and 2 reads 0 without any work.
  LayeredModel model = graph_of({{}, {0}, {0}, {1}});
  std::vector<LayerTime> times = times_of_ms({2, 2, 0, 1});
  times[2].counts = false;
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1})};
  const Bounds bounds = make_bounds(model, times, {groups, times_of_ms({3})});
  CHECK(bounds.fused().groups == Layers{0});
  CHECK(bounds.fused().parallel.path == Layers{0, 1, 3});
  times[3].counts = false;
  times[3].bound_ms = 0;
  model.layers[3].producers = {1, 2};
  const std::vector<FusedGroup> around = {group_of_layers({0, 1, 3})};
  CHECK(make_bounds(model, times, {around, times_of_ms({3})}).fused().groups.empty());
}

TEST_CASE("a part without a time counts as none, and a group that has one as measured") {
  const LayeredModel model = graph_of({{}, {0}, {1}});
  std::vector<LayerTime> times = times_of_ms({4, 1, 1});
  times[1].bound_ms.reset();
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1, 2})};
  CHECK(make_bounds(model, times, {groups, times_of_ms({5.5})}).fused().groups.empty());
  Bounds bounds = make_bounds(model, times, {groups, times_of_ms({4.5})});
  CHECK(bounds.layers().sequential.missing == 1);
  CHECK(bounds.fused().sequential.missing == 0);
  CHECK(*bounds.fused().sequential.coverage_layers_pct == 100);
  CHECK(bounds.decisions[0].untimed_parts == 1);

  std::vector<LayerTime> group_times = times_of_ms({4.5});
  group_times[0].is_noisy = true;
  group_times[0].is_exact = false;
  group_times[0].expected_ms = 6;
  bounds = make_bounds(model, times_of_ms({4, 1, 1}), {groups, group_times});
  CHECK(bounds.fused().sequential.noisy == 3);
  CHECK(bounds.fused().sequential.noisy_ms == 4.5);
  CHECK(bounds.fused().sequential.inexact == 3);
  CHECK(bounds.fused().sequential.exact_ms == 6);  // its layers one by one
  CHECK(bounds.fused().sequential.expected_ms == 6.0);
}

TEST_CASE("a layer that ran faster than its benchmark is named, and the best known bound has its time") {
  const LayeredModel model = graph_of({{}, {0}, {1}, {2}});
  JoinedTrace trace;
  trace.layers.resize(3);
  trace.layers[0].layers = {0, 1};
  trace.layers[0].least_ms = 3;
  trace.layers[1].layers = {2, 3};
  trace.layers[1].least_ms = 2.5;
  trace.layers[2].least_ms = 0.125;  // has no counterpart
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1})};
  const Bounds bounds = make_bounds(model, times_of_ms({3, 1, 1, 1}), {groups, times_of_ms({3.5}), &trace});
  REQUIRE(bounds.modes.size() == 3);
  CHECK(bounds.mode("best_known")->sequential.bound_ms == Approx(5));
  REQUIRE(bounds.faster.size() == 1);
  CHECK(bounds.faster[0].trace_layer == 0);
  CHECK(bounds.faster[0].bound_ms == 3.5);
  CHECK(*bound_of(bounds, bounds.layers(), trace.layers[0]) == 4);
  CHECK(*bound_of(bounds, bounds.fused(), trace.layers[1]) == 2);
  CHECK_FALSE(bound_of(bounds, bounds.fused(), trace.layers[2]));
}

TEST_CASE("a group across two layers of the trace is compared with both together") {
  const LayeredModel model = graph_of({{}, {0}});
  JoinedTrace trace;
  trace.layers.resize(2);
  trace.layers[0].layers = {0};
  trace.layers[1].layers = {1};
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1})};
  const auto best = [&](double first, double second) {
    trace.layers[0].least_ms = first;
    trace.layers[1].least_ms = second;
    return make_bounds(model, times_of_ms({3, 1}), {groups, times_of_ms({3.5}), &trace}).mode("best_known")->sequential;
  };
  CHECK(best(4, 2).bound_ms == Approx(3.5));
  CHECK(best(2, 1.5).bound_ms == Approx(3));  // 2 as observed, 1 by its benchmark
  CHECK(best(2, 0.5).bound_ms == Approx(2.5));
}

TEST_CASE("a share of a group is no benchmark that a layer could be faster than") {
  const LayeredModel model = graph_of({{}, {0}, {1}});
  JoinedTrace trace;
  trace.layers.resize(2);
  trace.layers[0].layers = {0, 2};  // no benchmark is of just these
  trace.layers[0].least_ms = 0.5;
  trace.layers[1].layers = {1};
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1})};
  const auto faster = [&](double least_ms) {
    trace.layers[1].least_ms = least_ms;
    return make_bounds(model, times_of_ms({3, 1, 1}), {groups, times_of_ms({2}), &trace}).faster;
  };
  CHECK(faster(1.25).empty());
  REQUIRE(faster(0.75).size() == 1);  // above its share of 0.5, below the benchmark of its own
  CHECK(faster(0.75)[0].trace_layer == 1);
  CHECK(faster(0.75)[0].bound_ms == 1);
}

TEST_CASE("the bound of what ran by itself has whole groups at once and all other layers one by one") {
  const LayeredModel model = graph_of({{}, {0}, {1}, {2}});
  JoinedTrace trace;
  trace.layers.resize(2);
  trace.layers[0].layers = {0, 1, 2};
  trace.layers[1].layers = {3};
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1}), group_of_layers({2, 3})};
  const Bounds bounds = make_bounds(model, times_of_ms({3, 1, 2, 4}), {groups, times_of_ms({3.5, 5}), &trace});
  CHECK(*ran_bound_of(bounds, bounds.fused(), trace.layers[0]) == Approx(5.5));
  CHECK(*ran_bound_of(bounds, bounds.fused(), trace.layers[1]) == Approx(4));
  CHECK(*bound_of(bounds, bounds.fused(), trace.layers[1]) == Approx(5.0 * 4 / 6));
}

TEST_CASE("the kernels of a runtime count as the trace ran the layers, and what it ran otherwise has no time") {
  const LayeredModel model = graph_of({{}, {0}, {1}, {2}, {3}});
  JoinedTrace trace;
  trace.layers.resize(4);
  trace.layers[0].layers = {0, 1};
  trace.layers[1].layers = {2};
  trace.layers[2].layers = {3, 4};  // no candidate is of these
  for (TraceLayer& layer : trace.layers) layer.measured_ms = layer.least_ms = 10;
  trace.layers[0].least_ms = 8;
  const std::vector<FusedGroup> groups = {group_of_layers({0, 1}), group_of_layers({1, 2})};
  const Bounds bounds = make_bounds(model, times_of_ms({3, 1, 1, 1, 1}), {groups, times_of_ms({3.5, 1.5}), &trace});
  std::vector<LayerTime> own = times_of_ms({4, 2, 2, 2, 2});
  own[2].expected_ms = 2.5;
  const auto kernels = own_kernels(bounds, "onnxruntime 1.0", own, times_of_ms({6.5, 2.5}));
  REQUIRE(kernels);
  CHECK(kernels->library == "onnxruntime 1.0");
  CHECK(kernels->bound.bound_ms == 8.5);  // the group, though its layers one by one are faster, and layer 2
  CHECK(kernels->bound.layers == 5);
  CHECK(kernels->bound.missing == 2);
  CHECK(kernels->measured_ms == 20);
  CHECK(kernels->least_ms == 18);
  CHECK_FALSE(kernels->bound.expected_ms);
  CHECK(kernels->bound.without_cold == 2);
  CHECK_FALSE(own_kernels(bounds, "none", std::vector<LayerTime>(5), std::vector<LayerTime>(2)));
  const Bounds untraced = make_bounds(model, times_of_ms({3, 1, 1, 1, 1}), {groups, times_of_ms({3.5, 1.5})});
  CHECK_FALSE(own_kernels(untraced, "onnxruntime 1.0", own, times_of_ms({6.5, 2.5})));
}

TEST_CASE("without candidates there is no fused mode, and without a trace no best known one") {
  const LayeredModel model = graph_of({{}, {0}});
  const Bounds bounds = make_bounds(model, times_of_ms({1, 2}));
  CHECK(bounds.modes.size() == 1);
  CHECK(&bounds.fused() == &bounds.layers());
  CHECK(bounds.mode("fused") == nullptr);
  CHECK_FALSE(bounds.has_measured_groups());
  const Bounds unmeasured = make_bounds(model, times_of_ms({1, 2}), {{group_of_layers({0, 1})}, {}});
  REQUIRE(unmeasured.mode("fused") != nullptr);
  CHECK(unmeasured.fused().sequential.bound_ms == 3);
  CHECK(unmeasured.decisions[0].refusal == Refusal::kNotMeasured);
}

TEST_CASE("a large model with many candidates and a trace takes no time") {
  constexpr size_t kLayers = 10000;
  std::vector<std::vector<size_t>> producers(kLayers);
  for (size_t layer = 1; layer < kLayers; ++layer) {
    producers[layer] = {layer - 1};
    if (layer % 8 == 0) producers[layer].push_back(layer - 7);
  }
  const LayeredModel model = graph_of(producers);
  std::vector<FusedGroup> groups;
  for (size_t layer = 0; layer + 4 < kLayers; ++layer) {
    groups.push_back(group_of_layers({layer, layer + 1, layer + 2, layer + 3}));
    groups.push_back(group_of_layers({layer, layer + 1}));
  }
  JoinedTrace trace;
  trace.layers.resize(kLayers);
  for (size_t layer = 0; layer < kLayers; ++layer) {
    trace.layers[layer].layers = {layer};
    trace.layers[layer].least_ms = layer % 3 == 0 ? 0.5 : 2;
  }
  const std::vector<LayerTime> times(kLayers, time_of_ms(1));
  const std::vector<LayerTime> group_times(groups.size(), time_of_ms(1.5));
  const auto start = std::chrono::steady_clock::now();
  const Bounds bounds = make_bounds(model, times, {groups, group_times, &trace});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(bounds.fused().groups.size() > 1000);
  CHECK(taken.count() < 1);  // some hundredths, where nothing else runs
}
