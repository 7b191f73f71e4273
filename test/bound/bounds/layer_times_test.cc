#include "bound/bounds/layer_times.h"

#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp;
using namespace xsp::bound;
using namespace xsp::bound::test;

TEST_CASE("given times belong to the layers of their names") {
  LayeredModel model = graph_of({{}, {0}, {1}, {2}, {3}});
  model.layers[1].layer_class = model.layers[2].layer_class = LayerClass::kZero;
  model.layers[3].layer_class = LayerClass::kUnknown;
  std::vector<LayerTime> times;
  REQUIRE(take_given_times(model, {{"l0", {1.5, "a + b"}}, {"l2", {0.5, ""}}, {"l3", {0.25, ""}}}, &times).ok());

  REQUIRE(times.size() == 5);
  CHECK(times[0].bound_ms == 1.5);
  CHECK(times[0].implementation == "a + b");
  CHECK(times[0].counts);
  CHECK_FALSE(times[0].expected_ms);
  // Without work and without a time: free, in no denominator.
  CHECK(times[1].bound_ms == 0.0);
  CHECK_FALSE(times[1].counts);
  // A given time always counts.
  CHECK(times[2].bound_ms == 0.5);
  CHECK(times[2].counts);
  CHECK(times[3].bound_ms == 0.25);
  CHECK_FALSE(times[4].bound_ms);
  CHECK(times[4].counts);
  CHECK(times[4].reason == "no time is given");
}

TEST_CASE("a time of a layer that the model lacks is an error that names it") {
  const LayeredModel model = graph_of({{}, {0}});
  std::vector<LayerTime> times;
  const Status status = take_given_times(model, {{"l0", {1, ""}}, {"other\n", {1, ""}}, {"zzz", {1, ""}}}, &times);
  CHECK(status.exit_code == 3);
  CHECK_THAT(status.error, Catch::Contains("other\\x0a (and 1 more)"));
}

TEST_CASE("a time of a name that several layers have is an error") {
  LayeredModel model = graph_of({{}, {0}, {1}});
  model.layers[2].name = "l0";
  std::vector<LayerTime> times;
  const Status status = take_given_times(model, {{"l0", {1, ""}}}, &times);
  CHECK(status.exit_code == 3);
  CHECK_THAT(status.error, Catch::Contains("2 layers have the name l0"));
  CHECK(take_given_times(model, {{"l1", {1, ""}}}, &times).ok());
}
