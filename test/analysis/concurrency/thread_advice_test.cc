#include "analysis/concurrency/thread_advice.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/concurrency/given_curves.h"
#include "test/analysis/support/law_curves.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using test::exact_curve;
using test::noisy_curve;
using test::spawning_law;
using test::up_to;

constexpr uint32_t kPaperCores = 68;

/// One layer of each of these, with 68 threads by itself.
ModelCurves layers_of(std::vector<LayerCurve> layers) {
  ModelCurves curves;
  curves.layers = std::move(layers);
  curves.own = kPaperCores;
  return curves;
}

/// A row of the paper's Table II: what the best number of threads takes, and how much longer all cores take.
struct PaperOperation {
  const char* type;
  double height;
  double channels;
  double seconds;
  uint32_t best;
  double gain_pct;
};
const std::vector<PaperOperation> kTableTwo = {
    {"Conv2DBackpropFilter", 8, 384, 7.2, 26, 17.3},
    {"Conv2DBackpropFilter", 17, 384, 11.1, 42, 10.2},
    {"Conv2DBackpropFilter", 8, 2048, 20.3, 68, 0},
    {"Conv2DBackpropInput", 8, 384, 5.8, 36, 9.8},
    {"Conv2DBackpropInput", 17, 384, 8.7, 56, 2.3},
    {"Conv2DBackpropInput", 8, 2048, 19.6, 68, 0},
    {"Conv2D", 8, 384, 4.7, 45, 11.1},
    {"Conv2D", 17, 384, 7.4, 63, 3.5},
    {"Conv2D", 8, 2048, 14.8, 66, 2.0},
};

/// Falls to the best number as 1 / n does, and rises from there to all cores.
ThreadCurve paper_curve(const PaperOperation& operation) {
  const double most = operation.seconds * (1 + operation.gain_pct / 100);
  return exact_curve(
      [&](double n) {
        if (n <= operation.best) return operation.seconds * 1e9 * (0.5 + 0.5 * operation.best / n);
        const double part = (n - operation.best) / (kPaperCores - operation.best);
        return 1e9 * (operation.seconds + part * (most - operation.seconds));
      },
      up_to(kPaperCores));
}

ModelCurves table_two() {
  std::vector<LayerCurve> layers;
  for (const PaperOperation& operation : kTableTwo) {
    LayerCurve& layer = layers.emplace_back();
    layer.index = static_cast<uint32_t>(layers.size() - 1);
    layer.name = layer.type = operation.type;
    layer.input_elements = 32 * operation.height * operation.height * operation.channels;
    layer.curve = paper_curve(operation);
  }
  return layers_of(std::move(layers));
}

TEST_CASE("each operation of the paper's Table II gets its best number of threads, and gains what the paper says") {
  const Advices advices = advise(table_two(), {.cores = kPaperCores});
  CHECK_FALSE(advices.whole);
  REQUIRE(advices.layers.size() == kTableTwo.size());
  for (size_t i = 0; i < kTableTwo.size(); ++i) {
    INFO(i);
    const ThreadAdvice& advice = advices.layers[i];
    CHECK(advice.now == kPaperCores);
    CHECK(advice.best == kTableTwo[i].best);
    CHECK(*gain_pct(advice.now_ns, advice.best_ns) == Approx(kTableTwo[i].gain_pct).margin(1e-6));
    CHECK(advice.switches.count == (advice.best == kPaperCores ? 0 : 2));
    // Nobody measured what switches cost.
    CHECK(advice.net_ns.has_value() == (advice.best == kPaperCores));
    CHECK((advice.verdict == AdviceVerdict::kKeep) == (advice.best == kPaperCores));
    CHECK_FALSE(advice.verdict == AdviceVerdict::kChange);
  }
}

TEST_CASE("a type gets the number that is best for its layer with the largest input") {
  const ModelCurves curves = table_two();
  const Advices advices = advise(curves, {.cores = kPaperCores});
  REQUIRE(advices.types.size() == 3);
  CHECK(advices.types[0].type == "Conv2DBackpropFilter");
  CHECK(advices.types[0].best == 68);
  CHECK(advices.types[0].verdict == AdviceVerdict::kKeep);
  CHECK(advices.types[1].best == 68);
  CHECK(advices.types[2].type == "Conv2D");
  CHECK(advices.types[2].best == 66);
  double gain = 0;
  for (size_t i = 6; i < 9; ++i)
    gain += *latency_at(curves.layers[i].curve, 68) - *latency_at(curves.layers[i].curve, 66);
  CHECK(*advices.types[2].gain_ns == Approx(gain));
  CHECK(advices.types[2].switches.count == 2);  // the three follow each other
}

TEST_CASE("of layers whose inputs are as large, or not known, the one that takes most time decides for the type") {
  LayerCurve quick{0, "a", "T", "", 10.0, exact_curve(spawning_law(4), up_to(8))};
  LayerCurve slow{1, "b", "T", "", 10.0, exact_curve(spawning_law(6, 5), up_to(8))};
  ModelCurves curves = layers_of({quick, slow});
  curves.own = 8;
  CHECK(advise(curves, {}).types.at(0).best == 6);
  curves.layers[0].input_elements = 11;
  CHECK(advise(curves, {}).types.at(0).best == 4);
  curves.layers[0].input_elements.reset();
  curves.layers[1].input_elements.reset();
  CHECK(advise(curves, {}).types.at(0).best == 6);
}

TEST_CASE("speedups are the ratios of times that the paper's tables print") {
  struct Times {
    double base, other, printed;
  };
  const auto agree = [](const std::vector<Times>& rows) {
    size_t count = 0;
    for (const Times& row : rows) count += std::fabs(1 + *gain_pct(row.base, row.other) / 100 - row.printed) <= 0.01;
    return count;
  };
  // Table I, ResNet-50 and DCGAN: 1 × 34 of DCGAN is printed as 1.21, and is 1.08.
  CHECK(agree({{1382, 1414, 0.98},
               {1382, 1382, 1},
               {1382, 2257, 0.61},
               {1382, 1088, 1.27},
               {1382, 1213, 1.14},
               {1382, 4017, 0.34},
               {1382, 1169, 1.18},
               {1382, 3048, 0.45},
               {1382, 4782, 0.29},
               {524, 484, 1.21},
               {524, 524, 1},
               {524, 1045, 0.5},
               {524, 411, 1.28},
               {524, 501, 1.04},
               {524, 1238, 0.42},
               {524, 434, 1.21},
               {524, 565, 0.93},
               {524, 1469, 0.36}}) == 17);
  CHECK(1 + *gain_pct(524, 484) / 100 == Approx(1.08).margin(0.005));
  // Table VI, but for BiasAddGrad (1.13) and FusedBatchNorm (1.07) of DCGAN.
  CHECK(agree({{158, 146, 1.08},
               {131, 122, 1.07},
               {107, 105, 1.02},
               {103, 100, 1.03},
               {79, 78, 1.01},
               {164, 144, 1.14},
               {133, 110, 1.21},
               {84, 72, 1.17},
               {759, 730, 1.04},
               {539, 532, 1.01},
               {479, 475, 1.01},
               {455, 422, 1.08},
               {416, 413, 1.01},
               {11.71, 8.76, 1.34},
               {2.03, 1.98, 1.03},
               {1.36, 1.09, 1.25},
               {1.02, 0.87, 1.17},
               {0.95, 0.93, 1.02}}) == 18);
  CHECK(1 + *gain_pct(26, 23) / 100 == Approx(1.13).margin(0.005));
  CHECK(1 + *gain_pct(15, 14) / 100 == Approx(1.07).margin(0.005));
  // Table III: serial, with hyper-threading, and with half of the cores each.
  CHECK(agree({{41.1, 39.9, 1.03}, {41.1, 29.8, 1.38}}) == 2);
  CHECK_FALSE(gain_pct(1.0, 0.0));
  CHECK_FALSE(gain_pct({}, 1.0));
}

TEST_CASE("gains of advice that is followed one after the other multiply") {
  // ResNet-50 of the paper's Figure 3: strategies 1 and 2, 3, and 4 gain 2, 35 and 8 %, together 49 %.
  double now = 1e9;
  double product = 1;
  for (const double factor : {1.02, 1.35, 1.08}) {
    ModelCurves curves;
    curves.own = 68;
    curves.model = {{.threads = 34, .latency_ns = now / factor}, {.threads = 68, .latency_ns = now}};
    const Advices advices = advise(curves, {});
    product *= 1 + *gain_pct(advices.whole->now_ns, advices.whole->best_ns) / 100;
    now = *advices.whole->best_ns;
  }
  CHECK(product == Approx(1e9 / now));
  CHECK(product == Approx(1.49).margin(0.005));
}

ThreadAdvice whole_run(const std::vector<std::vector<double>>& values, uint32_t own, bool paper = false,
                       bool is_busy = false) {
  ModelCurves curves;
  curves.own = own;
  curves.is_busy = is_busy;
  for (size_t i = 0; i < values.size(); ++i) {
    curves.model.push_back(*curve_point(static_cast<uint32_t>(i + 1), {values[i]}, {}));
  }
  const Advices advices = advise(curves, {.paper = paper});
  REQUIRE(advices.whole);
  return *advices.whole;
}

TEST_CASE("a change is advised where its gain is more than noise, on a machine that is not busy") {
  const std::vector<double> fast = {100, 101, 99, 100, 102, 98};
  const std::vector<double> slow = {120, 121, 119, 120, 122, 118};
  const std::vector<double> like_fast = {103, 101, 99, 104, 102, 98};

  const ThreadAdvice change = whole_run({fast, slow}, 2);
  CHECK(change.verdict == AdviceVerdict::kChange);
  CHECK(change.best == 1);
  CHECK(*change.gain_ns == Approx(20).margin(0.5));
  CHECK(change.gain.low > 15);
  CHECK(change.gain.low < *change.gain_ns);
  CHECK(change.gain.high > *change.gain_ns);
  CHECK(change.switches.count == 0);
  CHECK(change.net_ns == change.gain_ns);

  CHECK(whole_run({fast, like_fast}, 2).verdict == AdviceVerdict::kWithinNoise);
  CHECK(whole_run({fast, like_fast}, 2, true).verdict == AdviceVerdict::kChange);
  CHECK(whole_run({slow, fast}, 2).verdict == AdviceVerdict::kKeep);
  CHECK(whole_run({fast, slow}, 1).verdict == AdviceVerdict::kKeep);
  CHECK(whole_run({fast, slow}, 2, false, true).verdict == AdviceVerdict::kMachineBusy);
  // Two values tell of no noise.
  CHECK(whole_run({{100, 101}, {120, 121}}, 2).verdict == AdviceVerdict::kWithinNoise);
}

TEST_CASE("the own number is kept where it is faster than what climbing finds") {
  // The climb ends at two threads, and the own eight are the fastest.
  const ThreadCurve curve = exact_curve([](double n) { return n == 8 ? 1.0 : 10 + n; }, {1, 2, 8});
  ModelCurves curves;
  curves.model = curve;
  curves.own = 8;
  const ThreadAdvice advice = *advise(curves, {}).whole;
  CHECK(advice.best == 8);
  CHECK(advice.verdict == AdviceVerdict::kKeep);
}

TEST_CASE("more threads than cores are never advised") {
  ModelCurves curves;
  curves.model = exact_curve([](double n) { return 100 / n; }, up_to(8));
  curves.own = 1;
  CHECK(advise(curves, {.cores = 2}).whole->best == 2);
}

TEST_CASE("nothing is judged where the own number is not known") {
  ModelCurves curves;
  curves.model = exact_curve(spawning_law(3), up_to(8));
  const ThreadAdvice advice = *advise(curves, {}).whole;
  CHECK(advice.now == 0);
  CHECK(advice.best == 3);
  CHECK_FALSE(advice.gain_ns);
  CHECK_FALSE(advice.verdict);
  CHECK_FALSE(advise({}, {}).whole);
}

TEST_CASE("on a flat curve a change is seldom advised, while the paper's rule always finds one") {
  constexpr int kRounds = 1000;
  for (const uint32_t cores : {2U, 4U, 16U}) {
    INFO(cores);
    Noise noise(3);
    int aware = 0;
    int bare = 0;
    for (int round = 0; round < kRounds; ++round) {
      ModelCurves curves;
      curves.own = cores;
      curves.model = noisy_curve([](double) { return 1e6; }, up_to(cores), 0.05, 8, &noise);
      aware += advise(curves, {}).whole->verdict == AdviceVerdict::kChange;
      bare += advise(curves, {.paper = true}).whole->verdict == AdviceVerdict::kChange;
    }
    CHECK(aware < 0.05 * kRounds);
    CHECK(bare > 0.45 * kRounds);
  }
}

TEST_CASE("the interval of a gain holds the true gain") {
  constexpr int kRounds = 500;
  Noise noise(17);
  int held = 0;
  for (int round = 0; round < kRounds; ++round) {
    ModelCurves curves;
    curves.own = 2;
    curves.model = noisy_curve([](double n) { return 1e6 * n; }, {1, 2}, 0.05, 10, &noise);
    const Interval gain = advise(curves, {}).whole->gain;
    held += gain.low <= 1e6 && 1e6 <= gain.high;
  }
  CHECK(held > 0.93 * kRounds);
}

TEST_CASE("layers of a type are judged by the sums of their evaluations") {
  // Each layer by itself jumps, and their sum does not.
  const auto layer = [](uint32_t index, double sign) {
    LayerCurve curve{index, "l", "T", "", {}, {}};
    for (const uint32_t n : {1U, 2U}) {
      std::vector<double> values;
      for (int i = 0; i < 8; ++i) values.push_back(1000 + 100 * n + sign * (i % 2 == 0 ? 300 : -300));
      curve.curve.push_back(*curve_point(n, {values}, {}));
    }
    return curve;
  };
  ModelCurves curves;
  curves.layers = {layer(0, 1), layer(1, -1)};
  curves.own = 2;
  curves.switches = {{1, 2, 1}, {2, 1, 1}};
  const Advices advices = advise(curves, {});
  CHECK(advices.layers.at(0).verdict == AdviceVerdict::kWithinNoise);
  CHECK(advices.layers.at(1).verdict == AdviceVerdict::kWithinNoise);
  REQUIRE(advices.types.size() == 1);
  CHECK(advices.types[0].verdict == AdviceVerdict::kChange);
  CHECK(*advices.types[0].gain_ns == Approx(200));
  CHECK(*advices.types[0].net_ns == Approx(198));
}

}  // namespace
}  // namespace xsp::analysis
