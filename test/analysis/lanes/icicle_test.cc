#include "analysis/lanes/icicle.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/lanes/icicle_tree.h"
#include "analysis/lanes/timeline_data.h"
#include "test/analysis/support/measured_study.h"

namespace xsp::test {
namespace {

using analysis::Icicle;
using analysis::icicle_of;
using analysis::IcicleNode;
using Part = IcicleNode::Kind;

/// Sums of a table's column by the text of another; nulls are left out.
std::map<std::string, double> sums(const Table& table, const std::string& key, const std::string& column) {
  std::map<std::string, double> sums;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (!null(table, i, column)) sums[words(table, i, key)] += value(table, i, column);
  }
  return sums;
}

std::map<std::string, double> sums(const Icicle& icicle, Part kind, double IcicleNode::*time) {
  std::map<std::string, double> sums;
  for (const IcicleNode& node : icicle.nodes) {
    if (node.kind == kind && !std::isnan(node.*time)) sums[node.name] += node.*time;
  }
  return sums;
}

void check_same(const std::map<std::string, double>& got, const std::map<std::string, double>& expected) {
  CHECK(got.size() == expected.size());
  for (const auto& [name, time] : expected) {
    CAPTURE(name);
    CHECK((got.count(name) == 0 ? -1 : got.at(name)) == Approx(time));
  }
}

const IcicleNode& named(const Icicle& icicle, Part kind, const std::string& name) {
  for (const IcicleNode& node : icicle.nodes) {
    if (node.kind == kind && node.name == name) return node;
  }
  FAIL("no " << name);
  return icicle.nodes.front();
}

/// Two layers with a library call each, of which the second launches two kernels; one kernel in no layer.
std::string called_trace() {
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> executions;
  uint32_t id = 100;
  const auto span = [&](int64_t begin, int64_t end, uint32_t number, uint32_t parent, int level, int kind,
                        const std::string& name, const std::string& type = "") {
    SpanSpec spec{.begin = begin * 1000, .end = end * 1000, .id = number, .parent = parent, .level = level};
    spec.kind = kind;
    spec.name = name;
    spec.type = type;
    builder.add(spec);
  };
  const auto kernel = [&](int64_t begin, int64_t length, uint32_t parent, int64_t launched, const std::string& name) {
    span(launched, launched + 1, ++id, parent, LEVEL_RUNTIME, KIND_RUNTIME_CALL, "cudaLaunchKernel");
    ExecutionSpec run{.begin = begin * 1000, .end = (begin + length) * 1000, .name = name};
    run.launch = id;
    executions.push_back(run);
  };
  kernel(20, 30, 3, 14, "conv");
  span(12, 18, 3, 2, LEVEL_LIBRARY, KIND_LIBRARY_CALL, "cudnnConvolutionForward", "cudnn");
  span(10, 60, 2, 1, LEVEL_LAYER, KIND_TORCH_MODULE, "features", "Conv2d");
  kernel(80, 10, 5, 73, "gemm");
  kernel(95, 5, 5, 75, "gemm");
  span(72, 79, 5, 4, LEVEL_LIBRARY, KIND_LIBRARY_CALL, "cublasSgemm", "cublas");
  span(70, 110, 4, 1, LEVEL_LAYER, KIND_TORCH_MODULE, "classifier", "Linear");
  kernel(130, 7, 1, 120, "softmax");
  span(0, 200, 1, 0, LEVEL_MODEL, KIND_TORCH_ROOT, "Net");
  builder.add_executions(executions);
  return builder.bytes();
}

TEST_CASE("the icicle's times are those of A2, A6, A10, A11 and A15") {
  const Analysed analysed({called_trace()});
  const Icicle icicle = icicle_of(*analysed.study);
  check_same(sums(icicle, Part::kLayer, &IcicleNode::latency_ms), sums(analysed.table("A2"), "name", "latency_ms"));
  auto types = sums(icicle, Part::kType, &IcicleNode::latency_ms);
  check_same(types, sums(analysed.table("A6"), "type", "latency_ms"));
  check_same(sums(icicle, Part::kKernel, &IcicleNode::kernel_ms),
             sums(analysed.table("A10"), "kernel_name", "latency_ms"));
  const Table a11 = analysed.table("A11");
  auto layers = sums(icicle, Part::kLayer, &IcicleNode::kernel_ms);
  layers["(unattached)"] = named(icicle, Part::kType, "(in no layer)").kernel_ms;
  check_same(layers, sums(a11, "layer_name", "kernel_latency_ms"));
  CHECK(icicle.nodes.front().kernel_ms == Approx(value(analysed.table("A15"), 0, "kernel_latency_ms")));
  CHECK(icicle.nodes.front().latency_ms == Approx(value(analysed.table("A15"), 0, "model_latency_ms")));
}

TEST_CASE("kernels stand under the library call that started them, with their number") {
  const Analysed analysed({called_trace()});
  const Icicle icicle = icicle_of(*analysed.study);
  const IcicleNode& gemm = named(icicle, Part::kKernel, "gemm");
  CHECK(gemm.count == 2);
  CHECK(gemm.kernel_ms == Approx(0.015));
  CHECK(std::isnan(gemm.latency_ms));
  CHECK(gemm.layer == 1);
  const IcicleNode& call = icicle.nodes[gemm.parent];
  CHECK(call.name == "cublasSgemm");
  CHECK(call.latency_ms == Approx(0.007));
  CHECK(icicle.nodes[call.parent].name == "classifier");
  CHECK(icicle.nodes[named(icicle, Part::kKernel, "softmax").parent].name == "(in no layer)");
}

TEST_CASE("parents come before their children, and these by time") {
  const Analysed analysed({called_trace()});
  const Icicle icicle = icicle_of(*analysed.study);
  const auto children = analysis::children_of(icicle);
  for (uint32_t i = 0; i < icicle.nodes.size(); ++i) {
    for (size_t k = 0; k < children[i].size(); ++k) {
      CHECK(children[i][k] > i);
      if (k > 0) CHECK(time_of(icicle.nodes[children[i][k]]) <= time_of(icicle.nodes[children[i][k - 1]]));
    }
  }
}

TEST_CASE("without layers kernels stand under the model, without kernels there is one measure") {
  Measured measured(paper_trace(1000, {{"a", 10}, {"b", 20}}, kV100), [](auto&&...) { return KernelMetrics(); });
  const Icicle flat = icicle_of(measured.study());
  CHECK(named(flat, Part::kKernel, "b").parent == 0);
  CHECK(flat.nodes.front().kernel_ms == Approx(0.03));
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_evaluation(0, {4, 6, 2});
  const Analysed layers({builder.bytes()});
  const Icicle icicle = icicle_of(*layers.study);
  CHECK(icicle.has_latency());
  CHECK(!icicle.has_kernels());
  CHECK(named(icicle, Part::kType, "A").latency_ms == Approx(6));
  CHECK(named(icicle, Part::kType, "A").count == 2);
}

TEST_CASE("what is merged of a large tree is counted, and no time is lost") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_evaluation(0, std::vector<int64_t>(300, 2));
  const Analysed analysed({builder.bytes()});
  const Icicle whole = icicle_of(*analysed.study);
  const Icicle icicle = icicle_of(*analysed.study, 50);
  CHECK(whole.nodes.size() == 303);
  CHECK(icicle.nodes.size() <= 50 + 2);
  double layers = 0;
  uint64_t merged = 0;
  for (const IcicleNode& node : icicle.nodes) {
    if (node.kind == Part::kLayer || node.kind == Part::kRest) layers += node.latency_ms;
    if (node.kind == Part::kRest) merged += node.count;
    if (node.kind == Part::kRest) CHECK(node.name == fmt::format("{} more", node.count));
  }
  CHECK(layers == Approx(600));
  CHECK(merged == 303 - 50);
  REQUIRE(icicle.notes.size() == 1);
  CHECK(contains(icicle.notes.front(), "253 of 303 parts"));
}

TEST_CASE("children that take longer than their parent are said") {
  Icicle icicle;
  icicle.nodes = {{.latency_ms = 10}, {.kind = Part::kType, .parent = 0, .latency_ms = 12}};
  analysis::note_overfull(&icicle);
  REQUIRE(icicle.notes.size() == 1);
  CHECK(contains(icicle.notes.front(), "1 of 2 parts"));
}

TEST_CASE("the JSON of the icicle has the nodes by columns, and the drawing no markup of names") {
  const std::string hostile = "<script>alert(1)</script>\x1b]0;x\x07\xff";
  Measured measured(paper_trace(1000, {{hostile, 10, 0}, {"b", 20, 0}}, kV100),
                    [](auto&&...) { return KernelMetrics(); });
  const Icicle icicle = icicle_of(measured.study());
  const std::string svg = analysis::icicle_svg(icicle);
  CHECK(contains(svg, "<svg role=\"img\""));
  CHECK(!contains(svg, "<script"));
  CHECK(!contains(svg, "\x1b"));
  CHECK(!contains(svg, "\xff"));
  const Analysed analysed({called_trace()});
  const auto json = nlohmann::json::parse(analysis::icicle_json(analysed));
  const Icicle same = icicle_of(*analysed.study);
  REQUIRE(json["nodes"]["kind"].size() == same.nodes.size());
  REQUIRE(json["measures"].size() == 2);
  for (size_t i = 0; i < same.nodes.size(); ++i) {
    CHECK(json["texts"][json["nodes"]["name"][i].get<size_t>()] == same.nodes[i].name);
    CHECK(json["kinds"][json["nodes"]["kind"][i].get<size_t>()].is_string());
    if (!std::isnan(same.nodes[i].kernel_ms)) CHECK(json["nodes"]["kernel"][i] == Approx(same.nodes[i].kernel_ms));
    CHECK(json["nodes"]["latency"][i].is_null() == std::isnan(same.nodes[i].latency_ms));
  }
}

}  // namespace
}  // namespace xsp::test
