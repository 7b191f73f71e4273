#include "analysis/iterations/iteration_metrics.h"

#include <algorithm>
#include <random>
#include <set>

#include "analysis/iterations/state_graph.h"
#include "test/analysis/support/iteration_builder.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using test::IterationBuilder;
using test::OperationSpec;

constexpr auto kToDevice = SymbolRole::kToDevice;
constexpr auto kToHost = SymbolRole::kToHost;
constexpr auto kWork = SymbolRole::kWork;

/// Three iterations of two kernels: 100 to 200, 300 to 400, 600 to 700; a copy to the device before the second and the
/// third, one to the host after each.
IterationBuilder example() {
  IterationBuilder builder;
  for (const int64_t begin : {100, 300, 600}) {
    if (begin != 100) builder.add({"HtoD", begin - 50, begin - 10, kToDevice, 1000});
    builder.add({"a", begin, begin + 40, kWork});
    builder.add({"b", begin + 60, begin + 100, kWork});
    builder.add({"DtoH", begin + 105, begin + 115, kToHost, 8});
  }
  builder.sort();
  builder.add_loop({"a", "b", "DtoH", "HtoD"}, {{0, 4}, {4, 8}, {8, 11}});
  return builder;
}

TEST_CASE("a copy that begins when an iteration ends is none of its operations") {
  IterationBuilder builder;
  for (const int64_t begin : {100, 300}) {
    builder.add({"a", begin, begin + 40, kWork});
    builder.add({"b", begin + 60, begin + 100, kWork});
    builder.add({"DtoH", begin + 100, begin + 115, kToHost, 8});
  }
  builder.sort();
  builder.add_loop({"a", "b", "DtoH"}, {{0, 3}, {3, 6}});
  const std::vector<IterationMetrics> metrics = iteration_metrics(builder.trace(), builder.found(), 0);
  REQUIRE(metrics.size() == 2);
  CHECK(metrics[0].gaps == 1);
  CHECK(loop_metrics(metrics).avg_operation_ns == Approx(20));
}

TEST_CASE("the paper's five metrics of an example are those found by hand") {
  IterationBuilder builder = example();
  const std::vector<IterationMetrics> metrics = iteration_metrics(builder.trace(), builder.found(), 0);
  REQUIRE(metrics.size() == 3);
  CHECK_FALSE(metrics[0].has_interval);
  CHECK(metrics[1].interval == 100);
  CHECK(metrics[1].to_device_in_interval == 40);
  CHECK(metrics[1].to_host_in_interval == 10);
  CHECK(metrics[1].copy_in_interval == 50);
  CHECK(metrics[1].busy_in_interval == 50);
  CHECK(metrics[1].copies_in_interval == 2);
  CHECK(metrics[1].bytes_to_device == 1000);
  CHECK(metrics[1].bytes_to_host == 8);
  CHECK(metrics[0].bytes_to_device == 0);
  CHECK(metrics[2].interval == 200);
  CHECK(metrics[2].operations == 3);
  CHECK(metrics[2].gaps == 1);
  CHECK(metrics[2].longest_gap == 20);
  const LoopMetrics loop = loop_metrics(metrics);
  CHECK(loop.iterations == 3);
  CHECK(loop.avg_interval_ns == Approx(150));
  CHECK(loop.max_interval_ns == Approx(200));
  CHECK(loop.avg_overlap == Approx((0.4 + 0.2) / 2));
  CHECK(loop.avg_operation_ns == Approx(20));
  CHECK(loop.avg_size_bytes == Approx(2000.0 / 3));
  CHECK(loop.avg_iteration_ns == Approx(100));
  CHECK(loop.compute == Approx(240.0 / 600));
  CHECK(loop.idle == Approx(60.0 / 600));
  CHECK(loop.intervals == Approx(0.5));
}

TEST_CASE("layers and calls copy nothing that is known") {
  IterationBuilder builder = example();
  const LoopMetrics loop = loop_metrics(iteration_metrics(builder.trace(), builder.found(), 0), false);
  CHECK_FALSE(loop.avg_overlap);
  CHECK_FALSE(loop.avg_size_bytes);
  CHECK(loop.avg_interval_ns == Approx(150));
}

TEST_CASE("of one iteration and of none nothing is made up") {
  IterationBuilder builder;
  builder.add({"a", 5, 9, kWork});
  builder.sort();
  builder.add_loop({"a"}, {{0, 1}});
  builder.add_loop({"a"}, {});
  const FoundIterations found = builder.found();
  const LoopMetrics one = loop_metrics(iteration_metrics(builder.trace(), found, 0));
  CHECK_FALSE(one.avg_interval_ns);
  CHECK_FALSE(one.avg_overlap);
  CHECK_FALSE(one.avg_operation_ns);
  CHECK(one.compute == 1);
  const LoopMetrics none = loop_metrics(iteration_metrics(builder.trace(), found, 1));
  CHECK(none.iterations == 0);
  CHECK_FALSE(none.avg_size_bytes);
}

TEST_CASE("the state graph has the mean times of the paper's states") {
  IterationBuilder builder = example();
  const StateGraph graph = state_graph(iteration_metrics(builder.trace(), builder.found(), 0));
  CHECK(graph.iterations == 2);
  CHECK(graph.period_ms == Approx(250e-6));
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0].mean_ms == Approx(100e-6));
  CHECK(graph.nodes[1].mean_ms == Approx(50e-6));
  CHECK(graph.nodes[1].share == Approx(0.2));
  CHECK(graph.nodes[1].count == Approx(2));
  CHECK(graph.nodes[2].mean_ms == Approx(100e-6));
  CHECK(graph.nodes[2].count == Approx(2));
}

TEST_CASE("between iterations of alternating loops there is no interval") {
  IterationBuilder builder;
  for (int64_t i = 0; i < 8; ++i) builder.add({i % 4 < 2 ? "a" : "b", 10 * i, 10 * i + 5, kWork});
  builder.sort();
  builder.add_loop({"a"}, {{0, 1}, {1, 2}, {4, 5}, {5, 6}});
  builder.add_loop({"b"}, {{2, 3}, {3, 4}, {6, 7}, {7, 8}});
  const FoundIterations found = builder.found();
  for (const uint32_t loop : {0, 1}) {
    const auto metrics = iteration_metrics(builder.trace(), found, loop);
    CHECK_FALSE(metrics[0].has_interval);
    CHECK(metrics[1].has_interval);
    CHECK(metrics[1].interval == 5);
    CHECK_FALSE(metrics[2].has_interval);
    CHECK(metrics[3].has_interval);
  }
}

TEST_CASE("micro-batches have intervals within their step only, steps have theirs") {
  IterationBuilder builder;
  for (int64_t i = 0; i < 6; ++i) builder.add({i % 3 == 2 ? "adam" : "a", 10 * i, 10 * i + 5, kWork});
  builder.sort();
  builder.add_loop({"a", "a", "adam"}, {{0, 3}, {3, 6}});
  builder.add_loop({"a"}, {{0, 1}, {1, 2}, {3, 4}, {4, 5}}, 1, 0);
  const FoundIterations found = builder.found();
  CHECK(iteration_metrics(builder.trace(), found, 0)[1].has_interval);
  const auto inner = iteration_metrics(builder.trace(), found, 1);
  CHECK(inner[1].has_interval);
  CHECK_FALSE(inner[2].has_interval);
  CHECK(inner[3].has_interval);
}

/// The metrics by looking at each nanosecond.
IterationMetrics painted(const std::vector<OperationSpec>& operations, int64_t before, IterationTime time) {
  IterationMetrics result;
  for (int64_t t = std::min(before, time.begin); t < time.end; ++t) {
    bool compute = false;
    bool in = false;
    bool out = false;
    for (const OperationSpec& operation : operations) {
      if (operation.begin > t || operation.end <= t) continue;
      in = in || operation.role == kToDevice;
      out = out || operation.role == kToHost;
      compute = compute || operation.role == kWork;
    }
    if (t >= before && t < time.begin) {
      ++result.interval;
      result.to_device_in_interval += in;
      result.to_host_in_interval += out;
      result.copy_in_interval += in || out;
      result.busy_in_interval += in || out || compute;
    }
    if (t >= time.begin) {
      result.compute += compute;
      result.copy += in || out;
      result.both += compute && (in || out);
      result.idle += !(compute || in || out);
    }
  }
  return result;
}

TEST_CASE("unions by one walk are those painted nanosecond by nanosecond") {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
    IterationBuilder builder;
    constexpr SymbolRole kRoles[] = {kWork, kWork, kToDevice, kToHost};
    constexpr const char* kNames[] = {"a", "b", "HtoD", "DtoH"};
    const int64_t count = 4 + below(24);
    for (int64_t i = 0; i < count; ++i) {
      const auto symbol = static_cast<size_t>(below(4));
      const int64_t begin = below(160);
      builder.add({kNames[symbol], begin, begin + below(seed % 3 == 0 ? 60 : 9), kRoles[symbol], 3});
    }
    builder.sort();
    std::set<uint32_t> cuts;
    for (int i = 0; i < 6; ++i) cuts.insert(static_cast<uint32_t>(below(static_cast<uint32_t>(count))));
    std::vector<LoopIteration> iterations;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) iterations.push_back({*cut, *std::next(cut)});
    if (iterations.empty()) continue;
    builder.add_loop({}, iterations);
    const FoundIterations found = builder.found();
    const auto metrics = iteration_metrics(builder.trace(), found, 0);
    for (size_t i = 0; i < metrics.size(); ++i) {
      const IterationMetrics& of = metrics[i];
      const IterationTime time = found.times[0][i];
      const IterationMetrics truth =
          painted(builder.operations(), i == 0 ? time.begin : found.times[0][i - 1].end, time);
      CHECK(of.interval == truth.interval);
      CHECK(of.to_device_in_interval == truth.to_device_in_interval);
      CHECK(of.to_host_in_interval == truth.to_host_in_interval);
      CHECK(of.copy_in_interval == truth.copy_in_interval);
      CHECK(of.busy_in_interval == truth.busy_in_interval);
      CHECK(of.compute == truth.compute);
      CHECK(of.copy == truth.copy);
      CHECK(of.both == truth.both);
      CHECK(of.idle == truth.idle);
      CHECK(of.operation_gaps == truth.idle);
    }
  }
}

}  // namespace
}  // namespace xsp::analysis
