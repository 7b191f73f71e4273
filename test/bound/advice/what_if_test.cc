#include "bound/advice/what_if.h"

#include "test/bound/advice/timed_problems.h"
#include "test/bound/bounds/layer_graph.h"

namespace xsp::bound {
namespace {

LayerTime known_time(double ms) {
  LayerTime time;
  time.bound_ms = ms;
  time.counts = true;
  return time;
}

FusedGroup candidate(const std::string& rule, std::vector<size_t> layers) {
  FusedGroup group;
  group.rule = rule;
  group.layers = std::move(layers);
  return group;
}

const WhatIf* row_of(const std::vector<WhatIf>& rows, const std::string& what, const std::string& rule = "") {
  const auto found = std::ranges::find_if(
      rows, [&](const WhatIf& row) { return row.what == what && (rule.empty() || row.rule == rule); });
  return found == rows.end() ? nullptr : &*found;
}

/// A layer, two branches of which one has two layers, and what joins them: 2, (3, 1), 1.5, 1 ms.
struct BranchedModel {
  LayeredModel model = test::graph_of({{}, {0}, {1}, {0}, {2, 3}});
  std::vector<LayerTime> times = {known_time(2), known_time(3), known_time(1), known_time(1.5), known_time(1)};
};

PrecisionBound precision_of(const std::string& name, double bound_ms, double parallel_ms) {
  PrecisionBound bound;
  bound.precision = name;
  bound.bound_ms = bound_ms;
  bound.parallel_ms = parallel_ms;
  bound.layers = 4;
  bound.kept = 1;
  bound.coverage_pct = 80;
  bound.caveat = "fewer bits";
  return bound;
}

}  // namespace

TEST_CASE("a rule saves what its groups take less than their layers") {
  const BranchedModel branched;
  const Bounds bounds = make_bounds(branched.model, branched.times,
                                    {.groups = {candidate("convolution", {1, 2}), candidate("elementwise", {3, 4})},
                                     .group_times = {known_time(2.5), LayerTime{}}});
  const std::vector<WhatIf> rows = what_ifs(bounds, {}, {});
  const WhatIf* fused = row_of(rows, "fuse", "convolution");
  REQUIRE(fused != nullptr);
  CHECK(fused->count == 1);
  CHECK(fused->before_ms == 8.5);  // the whole model, layer by layer
  CHECK(fused->after_ms == 7);
  CHECK(fused->profit_ms() == 1.5);
  CHECK(fused->caveat.empty());
  const WhatIf* unmeasured = row_of(rows, "fuse", "elementwise");
  REQUIRE(unmeasured != nullptr);
  CHECK(unmeasured->count == 0);
  CHECK(unmeasured->profit_ms() == 0);
  CHECK(unmeasured->before_ms == 8.5);
  CHECK_FALSE(unmeasured->is_measured);
  CHECK_THAT(unmeasured->caveat, Catch::Contains("no library"));

  const WhatIf* parallel = row_of(rows, "parallel");
  REQUIRE(parallel != nullptr);
  CHECK(parallel->before_ms == Approx(7));
  CHECK(parallel->after_ms == Approx(5.5));
  CHECK(parallel->count == 1);
  CHECK_THAT(parallel->caveat, Catch::Contains("share cores and memory"));
  CHECK(row_of(rows, "implementations") == nullptr);
  CHECK(row_of(rows, "all")->before_ms == Approx(8.5));
  CHECK(row_of(rows, "all")->after_ms == Approx(5.5));
  CHECK(row_of(rows, "all")->rule == "fuse + parallel");
}

TEST_CASE("a rule of which no group is taken says what became of each of its groups") {
  const BranchedModel branched;
  // The first is slower than its layers, the second shares a layer with the group of the other rule.
  const std::vector<FusedGroup> groups = {candidate("elementwise", {3, 4}), candidate("elementwise", {2, 4}),
                                          candidate("convolution", {1, 2})};
  const Bounds bounds = make_bounds(branched.model, branched.times,
                                    {.groups = groups, .group_times = {known_time(9), known_time(1.9), known_time(1)}});
  const std::vector<WhatIf> rows = what_ifs(bounds, {}, {});
  CHECK(row_of(rows, "fuse", "elementwise")->caveat ==
        "of 2 groups, 1 is no faster than its layers one by one, 1 shares layers with a group that is taken");
  CHECK(row_of(rows, "fuse", "elementwise")->is_measured);

  const std::vector<FusedGroup> alone = {groups[0]};
  const Bounds slow = make_bounds(branched.model, branched.times, {.groups = alone, .group_times = {known_time(9)}});
  CHECK(row_of(what_ifs(slow, {}, {}), "fuse")->caveat == "its only group is no faster than its layers one by one");

  LayerTime never_run;
  never_run.reason = "not measured";
  const Bounds without = make_bounds(branched.model, branched.times, {.groups = alone, .group_times = {never_run}});
  CHECK(row_of(what_ifs(without, {}, {}), "fuse")->caveat == "not measured: run it without --no-run or --time-limit");
}

TEST_CASE("where layers have no time, nothing is said of branches that may have one") {
  const BranchedModel branched;
  LayerTime missing;
  missing.counts = true;
  std::vector<LayerTime> times = branched.times;
  times[1] = times[2] = missing;
  const std::vector<WhatIf> some = what_ifs(make_bounds(branched.model, times), {}, {});
  CHECK(row_of(some, "parallel")->caveat ==
        "no two layers that have a time are independent; 2 of 5 layers have no time");
  CHECK_THAT(row_of(some, "all")->caveat, Catch::Contains("2 of 5 layers have no time"));

  times[3] = missing;
  const std::vector<WhatIf> most = what_ifs(make_bounds(branched.model, times), {}, {precision_of("bf16", 20, 18)});
  REQUIRE(most.size() == 1);
  CHECK(most.front().what == "bf16");
}

TEST_CASE("a chain has nothing to run at the same time") {
  const LayeredModel model = test::graph_of({{}, {0}});
  const std::vector<WhatIf> rows = what_ifs(make_bounds(model, {known_time(1), known_time(2)}), {}, {});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].what == "parallel");
  CHECK(rows[0].count == 0);
  CHECK(rows[0].profit_ms() == 0);
  CHECK(rows[0].caveat == "no two layers with work are independent");
  CHECK(rows[1].rule == "nothing gains");
  CHECK(rows[1].profit_ms() == 0);
}

TEST_CASE("all takes the type that gains most and none that loses, without counting anything twice") {
  const BranchedModel branched;
  const Bounds bounds = make_bounds(branched.model, branched.times);
  const std::vector<WhatIf> rows =
      what_ifs(bounds, {}, {precision_of("bf16", 20, 18), precision_of("int8", 3, 2.5), precision_of("f16", 5, 4)});
  CHECK(row_of(rows, "bf16")->profit_ms() == Approx(-11.5));
  CHECK(row_of(rows, "bf16")->rule == "4 of 5 layers");
  CHECK(row_of(rows, "bf16")->caveat == "fewer bits");
  CHECK(row_of(rows, "bf16")->coverage_pct == 80.0);
  CHECK(row_of(rows, "int8")->profit_ms() == Approx(5.5));
  const WhatIf* all = row_of(rows, "all");
  CHECK(all->after_ms == Approx(2.5));
  CHECK(all->rule == "int8 + parallel");
  CHECK_THAT(all->caveat, Catch::Contains("accuracy"));
  CHECK(rows.back().what == "all");

  PrecisionBound native = precision_of("bf16", 20, 18);
  native.has_instructions = true;
  const std::vector<WhatIf> losing = what_ifs(bounds, {}, {native});
  CHECK(row_of(losing, "bf16")->caveat == "slower, although this device has bf16 instructions; fewer bits");
  CHECK(row_of(losing, "all")->after_ms == Approx(bounds.fused().parallel.bound_ms));
  CHECK(row_of(losing, "all")->rule == "parallel");
}

TEST_CASE("a type in which nothing computes changes nothing") {
  const BranchedModel branched;
  PrecisionBound none = precision_of("fp8", 0, 0);
  none.layers = 0;
  const std::vector<WhatIf> rows = what_ifs(make_bounds(branched.model, branched.times), {}, {none});
  CHECK(row_of(rows, "fp8")->profit_ms() == 0);
  CHECK(row_of(rows, "fp8")->count == 0);
  CHECK_FALSE(row_of(rows, "fp8")->is_measured);
  CHECK(row_of(rows, "all")->after_ms == Approx(7));  // in parallel
}

TEST_CASE("better implementations are summed over calls whose both times are known") {
  const BranchedModel branched;
  std::vector<ImplementationChoice> choices(3);
  choices[0].used_ms = 3;
  choices[0].best_ms = 2;
  choices[0].is_best_exact = false;
  choices[0].library = choices[1].library = "onednn 2.6.3";
  choices[1].used_ms = 1;
  choices[1].best_ms = 1;
  choices[2].best_ms = 5;
  const std::vector<WhatIf> rows = what_ifs(make_bounds(branched.model, branched.times), choices, {});
  const WhatIf* row = row_of(rows, "implementations");
  REQUIRE(row != nullptr);
  CHECK(row->count == 1);
  CHECK(row->before_ms == 4);
  CHECK(row->after_ms == 3);
  CHECK(*row->coverage_pct == Approx(200.0 / 3));
  CHECK(row->caveat ==
        "benchmarks of the same-named implementations in onednn 2.6.3, whatever version ran; 1 of the fastest rounds "
        "otherwise");
}

TEST_CASE("without any time there is nothing to say") {
  const LayeredModel model = test::graph_of({{}, {0}});
  LayerTime missing;
  missing.counts = true;
  CHECK(what_ifs(make_bounds(model, {missing, missing}), {}, {}).empty());
}

}  // namespace xsp::bound
