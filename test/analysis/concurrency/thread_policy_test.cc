#include "analysis/concurrency/thread_policy.h"

#include <string>
#include <utility>
#include <vector>

#include "test/analysis/support/law_curves.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using Rule = ThreadPolicy::Rule;

/// A layer that takes this long with one and with two threads.
struct TwoTimes {
  std::string type;
  double one, two;
};

/// Two threads by itself; a switch costs `cost` in both directions. The model takes what its layers take.
ModelCurves model_of(const std::vector<TwoTimes>& layers, double cost) {
  ModelCurves curves;
  curves.own = 2;
  curves.switches = {{1, 2, cost}, {2, 1, cost}};
  double one = 0;
  double two = 0;
  for (const TwoTimes& times : layers) {
    const auto law = [&](double n) { return n == 1 ? times.one : times.two; };
    const auto index = static_cast<uint32_t>(curves.layers.size());
    curves.layers.push_back({index, times.type + std::to_string(index), times.type, "", {}, {}});
    curves.layers.back().curve = test::exact_curve(law, {1, 2});
    one += times.one;
    two += times.two;
  }
  curves.model = test::exact_curve([&](double n) { return n == 1 ? one : two; }, {1, 2});
  return curves;
}

ThreadPolicy policy_of(const ModelCurves& curves) { return choose_policy(curves, advise(curves, {})); }

TEST_CASE("switches are counted along the execution order, back to the own number at the end") {
  const std::vector<SwitchCost> costs = {{2, 1, 10}, {1, 2, 100}, {1, 4, 1000}};
  CHECK(switches_along({2, 2, 2}, 2, costs).count == 0);
  CHECK(*switches_along({2, 2, 2}, 2, {}).ns == 0);
  const Switches once = switches_along({2, 1, 1, 2}, 2, costs);
  CHECK(once.count == 2);
  CHECK(once.ns == 110);
  const Switches at_the_ends = switches_along({1, 2, 1}, 2, costs);
  CHECK(at_the_ends.count == 4);
  CHECK(at_the_ends.ns == 220);
  CHECK_FALSE(switches_along({1}, 2, {}).ns);
  CHECK(switches_along({1}, 2, {}).count == 2);
  CHECK(switches_along({}, 2, costs).count == 0);
  // Not measured: from 1 to 5 costs what 1 to 4 does, from 5 to 1 what 2 to 1 does.
  CHECK(switches_along({5}, 1, costs).ns == 1010);
}

TEST_CASE("one number for the whole run is chosen where it gains and switching would not pay") {
  const ThreadPolicy policy = policy_of(model_of({{"A", 50, 100}, {"B", 100, 95}}, 10));
  CHECK(policy.rule == Rule::kWholeRun);
  CHECK(policy.whole == 1);
  CHECK(policy.net_ns == Approx(45));
  CHECK(policy.types.empty());
}

TEST_CASE("types are chosen where they gain more than the whole run, switches included") {
  const ThreadPolicy policy = policy_of(model_of({{"A", 50, 100}, {"B", 140, 95}}, 10));
  CHECK(policy.rule == Rule::kType);
  CHECK(policy.types == std::vector<std::pair<std::string, uint32_t>>{{"A", 1}});
  CHECK(policy.gain_ns == Approx(50));
  CHECK(policy.switches.count == 2);
  CHECK(policy.net_ns == Approx(30));
}

TEST_CASE("nothing is chosen where switches cost more than they gain") {
  const ModelCurves curves = model_of({{"A", 90, 100}, {"B", 140, 95}, {"A", 90, 100}}, 10);
  const Advices advices = advise(curves, {});
  REQUIRE(advices.types.size() == 2);
  CHECK(advices.types[0].switches.count == 4);
  CHECK(*advices.types[0].net_ns == Approx(-20));
  CHECK(advices.types[0].verdict == AdviceVerdict::kKeep);
  CHECK(choose_policy(curves, advices).rule == Rule::kNone);
}

TEST_CASE("neighbours with the same number need no switch between them") {
  const ModelCurves curves = model_of({{"A", 70, 100}, {"B", 70, 100}, {"C", 200, 100}}, 10);
  const ThreadPolicy policy = policy_of(curves);
  CHECK(policy.rule == Rule::kType);
  CHECK(policy.types.size() == 2);
  CHECK(policy.switches.count == 2);
  CHECK(policy.net_ns == Approx(40));
  // Each layer by itself would switch twice.
  const FollowedAdvice followed = follow(curves, advise(curves, {}).layers);
  CHECK(followed.followed == 2);
  CHECK(followed.switches.count == 2);
  CHECK(*followed.net_ns == Approx(40));
}

TEST_CASE("a type is left out where another one makes its switches dearer than its gain") {
  // Behind A, B is switched to from 4 threads, which costs 60 and more than from the own number.
  ModelCurves curves;
  curves.own = 2;
  curves.switches = {{2, 4, 1}, {4, 2, 1}, {2, 1, 1}, {1, 2, 1}, {4, 1, 60}};
  curves.layers = {{0, "a", "A", "", {}, test::exact_curve([](double n) { return n == 4 ? 0.0 : 1000; }, {1, 2, 4})},
                   {1, "b", "B", "", {}, test::exact_curve([](double n) { return n == 1 ? 450.0 : 500; }, {1, 2, 4})}};
  const Advices advices = advise(curves, {});
  REQUIRE(advices.types.size() == 2);
  CHECK(advices.types[0].verdict == AdviceVerdict::kChange);
  CHECK(advices.types[1].verdict == AdviceVerdict::kChange);
  const ThreadPolicy policy = choose_policy(curves, advices);
  CHECK(policy.types == std::vector<std::pair<std::string, uint32_t>>{{"A", 4}});
  CHECK(policy.net_ns == Approx(998));
}

TEST_CASE("the chosen policy is the best of all, as trying every choice of types shows") {
  Noise noise(29);
  for (int round = 0; round < 200; ++round) {
    std::vector<TwoTimes> layers;
    for (int i = 0; i < 8; ++i) {
      layers.push_back({std::string(1, static_cast<char>('A' + static_cast<int>(4 * noise.uniform()))),
                        100 * noise.uniform(), 100 * noise.uniform()});
    }
    const double cost = 20 * noise.uniform();
    const ModelCurves curves = model_of(layers, cost);
    const Advices advices = advise(curves, {});
    double best = std::max(0.0, *advices.whole->gain_ns);
    for (unsigned chosen = 0; chosen < 1U << advices.types.size(); ++chosen) {
      double net = 0;
      uint32_t before = 2;
      for (const TwoTimes& layer : layers) {
        uint32_t threads = 2;
        for (size_t t = 0; t < advices.types.size(); ++t) {
          const bool is_chosen = ((chosen >> t) & 1U) != 0 && advices.types[t].verdict == AdviceVerdict::kChange;
          if (is_chosen && advices.types[t].type == layer.type) threads = advices.types[t].best;
        }
        net += layer.two - (threads == 1 ? layer.one : layer.two) - (threads != before ? cost : 0);
        before = threads;
      }
      net -= before != 2 ? cost : 0;
      best = std::max(best, net);
    }
    CHECK(policy_of(curves).net_ns == Approx(best).margin(1e-9));
  }
}

}  // namespace
}  // namespace xsp::analysis
