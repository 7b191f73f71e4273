#include "bound/bounds/bounds.h"

#include <cmath>
#include <limits>

#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

LayerTime missing_time() {
  LayerTime time;
  time.counts = true;
  time.reason = "not measured";
  return time;
}

LayerTime costless() {
  LayerTime time;
  time.bound_ms = 0;
  return time;
}

}  // namespace

TEST_CASE("a missing benchmark lowers the coverage and adds nothing") {
  LayeredModel model = graph_of({{}, {0}, {1}, {2}});
  model.layers[0].flops = 300;
  model.layers[1].flops = 100;
  model.layers[2].flops = 50;  // without work at run time
  model.layers[2].layer_class = LayerClass::kZero;
  const Bounds bounds = make_bounds(model, {time_of_ms(1.5), missing_time(), costless(), time_of_ms(0.25)});

  CHECK(bounds.model == &model);
  CHECK(bounds.layers().sequential.bound_ms == 1.75);
  CHECK(bounds.layers().parallel.bound_ms == 1.75);
  CHECK(bounds.layers().parallel.path == std::vector<size_t>{0, 1, 2, 3});
  CHECK(bounds.layers().sequential.layers == 3);
  CHECK(bounds.layers().sequential.missing == 1);
  CHECK(*bounds.layers().sequential.coverage_layers_pct == Approx(200.0 / 3));
  CHECK(*bounds.layers().sequential.coverage_flops_pct == Approx(75));
  CHECK(bounds.contradiction.empty());
}

TEST_CASE("layers without a cold time are expected to take their hot one") {
  const LayeredModel model = graph_of({{}, {0}, {1}});
  std::vector<LayerTime> times = {time_of_ms(1), time_of_ms(2), missing_time()};
  CHECK_FALSE(make_bounds(model, times).layers().sequential.expected_ms);
  times[1].expected_ms = 3;
  CHECK_FALSE(make_bounds(model, times).layers().sequential.expected_ms);  // of a third of the time nothing is known
  times[0].bound_ms = 0.25;
  const SequentialBound bound = make_bounds(model, times).layers().sequential;
  CHECK(bound.expected_ms == 3.25);
  CHECK(bound.bound_ms == 2.25);
  CHECK(bound.without_cold == 1);
  CHECK(bound.without_cold_ms == 0.25);
}

TEST_CASE("noisy layers are counted") {
  const LayeredModel model = graph_of({{}, {}, {}});
  std::vector<LayerTime> times = {time_of_ms(1), time_of_ms(2), time_of_ms(3)};
  times[0].is_noisy = times[2].is_noisy = true;
  CHECK(make_bounds(model, times).layers().sequential.noisy == 2);
}

TEST_CASE("a coverage of nothing is not there") {
  const Bounds empty = make_bounds({}, {});
  CHECK(empty.layers().sequential.bound_ms == 0);
  CHECK(empty.layers().parallel.path.empty());
  CHECK_FALSE(empty.layers().sequential.coverage_layers_pct);
  CHECK_FALSE(empty.layers().sequential.coverage_flops_pct);
  CHECK_FALSE(empty.layers().sequential.expected_ms);

  const LayeredModel without_flops = graph_of({{}});
  const Bounds bounds = make_bounds(without_flops, {time_of_ms(1)});
  CHECK(*bounds.layers().sequential.coverage_layers_pct == 100);
  CHECK_FALSE(bounds.layers().sequential.coverage_flops_pct);
}

TEST_CASE("what is no duration counts as missing") {
  const LayeredModel model = graph_of({{}, {0}, {1}, {2}});
  std::vector<LayerTime> times = {time_of_ms(-1), time_of_ms(std::nan("")),
                                  time_of_ms(std::numeric_limits<double>::infinity()), time_of_ms(2)};
  times[3].expected_ms = -5;
  const Bounds bounds = make_bounds(model, times);
  CHECK(bounds.layers().sequential.bound_ms == 2);
  CHECK(bounds.layers().sequential.missing == 3);
  CHECK_FALSE(bounds.layers().sequential.expected_ms);
  CHECK(bounds.layers().parallel.bound_ms == 2);
  CHECK_THAT(bounds.times[0].reason, Catch::Contains("-1 ms"));
}

TEST_CASE("parallel branches cost the longer one") {
  const LayeredModel model = graph_of({{}, {0}, {0}, {1, 2}});
  const Bounds bounds = make_bounds(model, {time_of_ms(1), time_of_ms(2), time_of_ms(3), time_of_ms(1)});
  CHECK(bounds.layers().sequential.bound_ms == 7);
  CHECK(bounds.layers().parallel.bound_ms == 5);
  CHECK(bounds.layers().parallel.path == std::vector<size_t>{0, 2, 3});
}

TEST_CASE("a parallel bound above the sequential one is a contradiction, one that rounding explains is none") {
  CHECK(contradiction_between(1, 1).empty());
  CHECK(contradiction_between(1 + 1e-12, 1).empty());
  CHECK_THAT(contradiction_between(1.001, 1), Catch::Contains("1.001 ms"));
  CHECK_FALSE(contradiction_between(std::nan(""), 1).empty());
}
