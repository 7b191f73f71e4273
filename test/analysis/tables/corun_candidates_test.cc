/// E3: layers that do not wait for one another.

#include "analysis/tables/corun_candidates.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/analysis/support/number_in.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::ConcurrencyOptions;
using analysis::NodeGraph;
using analysis::StudyOptions;

struct TimedLayer {
  std::string name;
  std::string type;
  std::string shape;
  std::vector<int64_t> us;  // by run
};

/// Four calls of a model, which ONNX Runtime computes node by node.
std::string recorded_run(const std::vector<TimedLayer>& layers, size_t run,
                         const std::vector<std::pair<std::string, std::string>>& parameters) {
  constexpr int64_t kNsPerUs = 1000;
  TraceBuilder builder;
  if (!parameters.empty()) builder.describe_run(static_cast<uint32_t>(run + 1), "layer", 1, parameters);
  builder.add_process(static_cast<uint32_t>(run + 1));
  int64_t at = 0;
  uint32_t id = 0;
  for (int call = 0; call < 4; ++call) {
    SpanSpec model{.begin = at, .id = ++id, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "m.onnx"};
    model.input = "[1,3]";
    for (const TimedLayer& layer : layers) {
      SpanSpec span{.begin = at, .end = at + kNsPerUs * layer.us.at(run), .id = ++id, .parent = model.id};
      span.kind = KIND_ORT_NODE;
      span.name = layer.name;
      span.type = layer.type;
      span.shape = layer.shape;
      builder.add(span);
      at = span.end;
    }
    model.end = at;
    builder.add(model);
    at += kNsPerUs;
  }
  return builder.bytes();
}

/// A run for each of these numbers of threads, as xsp-bench -L threads makes them.
std::vector<std::string> swept_runs(const std::vector<TimedLayer>& layers, const std::vector<uint32_t>& threads) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < threads.size(); ++i) {
    runs.push_back(recorded_run(layers, i, {{"threads", std::to_string(threads[i])}}));
  }
  return runs;
}

/// Nodes by name, each with the indices of those that it waits for.
std::shared_ptr<const NodeGraph> graph_of(const std::vector<std::pair<std::string, std::vector<uint32_t>>>& nodes) {
  auto graph = std::make_shared<NodeGraph>();
  for (const auto& [name, after] : nodes) {
    analysis::GraphNode& node = graph->nodes.emplace_back();
    node.name = name;
    node.after = after;
  }
  return graph;
}

analysis::Table corun_table(const std::vector<std::string>& runs, const ConcurrencyOptions& concurrency) {
  StudyOptions options;
  options.skip = 0;
  options.concurrency = concurrency;
  const Analysed analysed(runs, options);
  INFO(analysed.status.error);
  REQUIRE(analysed.status.ok());
  return corun_candidates(*analysed.study);
}

double schedule(const analysis::Table& table, const std::string& name) {
  for (const auto& extra : table.extras) {
    for (const auto& [key, value] : extra.fields) {
      if (key == name) return number(value);
    }
  }
  FAIL("no " << name);
  return 0;
}

/// start, then two branches, then end.
const std::vector<TimedLayer> kBranches = {{"start", "Pool", "[1,8]", {2000, 2500}},
                                           {"left", "Conv", "[1,8]", {10000, 11000}},
                                           {"right", "Conv", "[1,8]", {6000, 6500}},
                                           {"end", "Add", "[1,8]", {1000, 1200}}};
const auto kBranchGraph = graph_of({{"start", {}}, {"left", {0}}, {"right", {0}}, {"end", {1, 2}}});

TEST_CASE("Without --graph E3 has no rows, and says what it needs") {
  const auto table = corun_table(swept_runs(kBranches, {1, 2}), {});
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK(has_note(table, "--graph"));
  CHECK(schedule(table, "makespan_ms") == -1);
}

TEST_CASE("Two branches run together where both are best with half of the cores") {
  ConcurrencyOptions options;
  options.graph = kBranchGraph;
  options.cores = 2;
  const auto table = corun_table(swept_runs(kBranches, {1, 2}), options);
  REQUIRE(table.rows.size() == 1);
  CHECK(text(table.at(0, analysis::kE3.layer_a)) == "left");
  CHECK(text(table.at(0, analysis::kE3.layer_b)) == "right");
  CHECK(number_in(table, 0, "threads_a") == 1);
  CHECK(number_in(table, 0, "threads_b") == 1);
  CHECK(number_in(table, 0, "idle_cores") == 1);
  CHECK(number_in(table, 0, "remaining_a_ms") == Approx(10));
  CHECK(number_in(table, 0, "latency_b_ms") == Approx(6));
  CHECK(number_in(table, 0, "strategy") == 3);
  CHECK(number_in(table, 0, "serial_ms") == Approx(16));
  CHECK(number_in(table, 0, "corun_ms") == Approx(10));
  CHECK(number_in(table, 0, "gain_ms") == Approx(6));
  CHECK(number_in(table, 0, "gain_pct") == Approx(60));
  CHECK(text(table.at(0, analysis::kE3.graph)) == "onnx");
  CHECK(schedule(table, "serial_ms") == Approx(19));
  CHECK(schedule(table, "makespan_ms") == Approx(13));
  // One at a time but for: right begins (2), right ends (2).
  CHECK(schedule(table, "average_corunning") == Approx(10.0 / 8));
  CHECK(has_note(table, "4 of 4 layers"));
  CHECK(has_note(table, "29.8 s"));
  CHECK_FALSE(table.lacks_data);
}

TEST_CASE("A chain gains nothing, and E3 says so") {
  ConcurrencyOptions options;
  options.graph = graph_of({{"start", {}}, {"left", {0}}, {"right", {1}}, {"end", {2}}});
  options.cores = 2;
  const auto table = corun_table(swept_runs(kBranches, {1, 2}), options);
  CHECK(table.rows.empty());
  CHECK(has_note(table, "one waits for the other"));
  CHECK(schedule(table, "makespan_ms") == Approx(schedule(table, "serial_ms")));
}

TEST_CASE("The graph of another model is refused, with how many names it has") {
  ConcurrencyOptions options;
  options.graph = graph_of({{"start", {}}, {"other", {}}, {"end", {}}});
  options.cores = 2;
  const auto table = corun_table(swept_runs(kBranches, {1, 2}), options);
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK(has_note(table, "2 of 4 layers, 17.5 % of their time"));
  CHECK(has_note(table, "another model"));
}

TEST_CASE("Layers that are no nodes run alone") {
  ConcurrencyOptions options;
  options.graph = graph_of({{"left", {}}, {"right", {}}});
  options.cores = 2;
  const auto table = corun_table(swept_runs(kBranches, {1, 2}), options);
  REQUIRE(table.rows.size() == 1);
  CHECK(schedule(table, "serial_ms") == Approx(19));
  CHECK(schedule(table, "makespan_ms") == Approx(13));
  CHECK(has_note(table, "run alone"));
}

TEST_CASE("One number of threads is enough where two of it fit into the cores") {
  ConcurrencyOptions options;
  options.graph = kBranchGraph;
  options.cores = 2;
  const auto table = corun_table(swept_runs(kBranches, {1}), options);
  REQUIRE(table.rows.size() == 1);
  CHECK(schedule(table, "makespan_ms") == Approx(13));

  const auto wide = corun_table(swept_runs(kBranches, {2}), options);
  CHECK(wide.rows.empty());
  CHECK(has_note(wide, "measured with 2 threads alone"));

  options.cores = 1;
  const auto narrow = corun_table(swept_runs(kBranches, {2}), options);
  CHECK(narrow.rows.empty());
  CHECK(has_note(narrow, "fits 1 core"));
}

TEST_CASE("Times of unknown numbers of threads are not scheduled") {
  ConcurrencyOptions options;
  options.graph = kBranchGraph;
  options.cores = 2;
  const auto table = corun_table({recorded_run(kBranches, 0, {})}, options);
  CHECK(table.rows.empty());
  CHECK(has_note(table, "is not known: xsp-bench --threads"));
}

TEST_CASE("Table III comes out of --curves, by type and size") {
  auto curves = std::make_shared<analysis::GivenCurves>();
  REQUIRE(analysis::parse_curves("op,size,threads,ms\n"
                                 "Conv2DBackpropFilter,\"(32,8,8,2048)\",34,25.375\n"
                                 "Conv2DBackpropFilter,\"(32,8,8,2048)\",68,20.3\n"
                                 "Conv2DBackpropFilter,\"(32,8,8,384)\",68,1\n"
                                 "Conv2DBackpropInput,,34,22.932\n"
                                 "Conv2DBackpropInput,,68,19.6\n",
                                 curves.get())
              .ok());
  ConcurrencyOptions options;
  options.graph = graph_of({{"filter", {}}, {"input", {}}});
  options.curves = curves;
  const std::vector<TimedLayer> layers = {{"filter", "Conv2DBackpropFilter", "[32,8,8,2048]", {5000}},
                                          {"input", "Conv2DBackpropInput", "[32,8,8,2048]", {4000}}};
  const auto table = corun_table({recorded_run(layers, 0, {})}, options);
  REQUIRE(table.rows.size() == 1);
  CHECK(number_in(table, 0, "threads_a") == 34);
  CHECK(number_in(table, 0, "threads_b") == 34);
  CHECK(number_in(table, 0, "corun_ms") == Approx(25.4).margin(0.05));
  CHECK(number_in(table, 0, "serial_ms") == Approx(39.9));
  // Strategy 2 gives each all cores.
  CHECK(schedule(table, "makespan_ms") == Approx(39.9));
  CHECK(schedule(table, "average_corunning") == 1);
  CHECK(has_note(table, "from --curves"));
}

}  // namespace
}  // namespace xsp::test
