#include "analysis/tables/co_scheduling.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/concurrency/node_graph.h"
#include "analysis/figures/packing_figures.h"
#include "analysis/findings/families.h"
#include "analysis/tables/table_cells.h"
#include "test/analysis/support/kernel_specs.h"
#include "test/analysis/support/measured_study.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::has_note;
using test::TraceBuilder;

/// Its kernels move data between ranks.
constexpr uint32_t kRankStream = 20;

/// A kernel of a layer of its own, on a V100 with 80 multiprocessors.
struct LayerKernel {
  std::string layer;
  int64_t begin_us = 0;
  int64_t us = 0;
  uint64_t blocks = 40;
  uint32_t stream = 7;
  std::string configuration = {};  // empty: a block has all that a multiprocessor has of registers
};

/// Two calls with equal layers and kernels, 100 ms apart; the first one is no warm-up.
std::string calls_of(const std::vector<LayerKernel>& kernels) {
  TraceBuilder builder;
  builder.add_process(10);
  test::add_device(builder, test::kV100);
  uint32_t id = 0;
  std::vector<test::ExecutionSpec> executions;
  for (int64_t call = 0; call < 2; ++call) {
    const int64_t base = 100'000 * call;
    const uint32_t model = ++id;
    int64_t at = base;
    for (const LayerKernel& kernel : kernels) {
      const uint32_t layer = ++id;
      const uint32_t launch = ++id;
      builder.add(test::span(LEVEL_RUNTIME, launch, layer, at + 2, at + 3, "cudaLaunchKernel"));
      auto layer_span = test::span(LEVEL_LAYER, layer, model, at + 1, at + 4, kernel.layer);
      layer_span.type = "Conv2d";
      builder.add(layer_span);
      executions.push_back(test::kernel(
          base + kernel.begin_us, base + kernel.begin_us + kernel.us,
          (kernel.stream == kRankStream ? "ncclDevKernel_of_" : "kernel_of_") + kernel.layer, launch, kernel.stream));
      executions.back().configuration =
          !kernel.configuration.empty() ? kernel.configuration
                                        : "grid=[" + std::to_string(kernel.blocks) +
                                              ",1,1] block=[1024,1,1] registers=64 static_shared=0 dynamic_shared=0";
      at += 10;
    }
    builder.add(test::span(LEVEL_MODEL, model, 0, base, base + 50'000, "Net"));
  }
  builder.add_executions(executions);
  return builder.bytes();
}

/// Nodes by name, each with those that it waits for.
StudyOptions with_graph(const std::vector<std::pair<std::string, std::vector<uint32_t>>>& nodes) {
  NodeGraph graph;
  for (const auto& [name, after] : nodes) {
    GraphNode& node = graph.nodes.emplace_back();
    node.name = name;
    node.type = "Conv";
    node.after = after;
  }
  StudyOptions options;
  options.concurrency.graph = std::make_shared<const NodeGraph>(std::move(graph));
  options.concurrency.graph_file = "net.onnx";
  return options;
}

Table bounds_of(const std::string& bytes, const StudyOptions& options = {}) {
  test::Analysed analysed({bytes}, options);
  REQUIRE(analysed.status.ok());
  Table table = co_scheduling(*analysed.study);
  for (const auto& row : table.rows) REQUIRE(row.size() == table.columns.size());
  return table;
}

double bound_number(const Table& table, size_t row, const ColumnDefinition& column) {
  return TableCells(table).number(row, column).value_or(-1);
}

std::string bound_text(const Table& table, size_t row, const ColumnDefinition& column) {
  return TableCells(table).text(row, column);
}

/// a, then b and c, then d; b and c have half a wave each.
const std::vector<LayerKernel> kDiamond = {
    {"a", 100, 1000, 80}, {"b", 1200, 10'000, 40}, {"c", 11'300, 10'000, 40}, {"d", 21'300, 1000, 80}};
const std::vector<std::pair<std::string, std::vector<uint32_t>>> kDiamondNodes = {
    {"a", {}}, {"b", {0}}, {"c", {0}}, {"d", {1, 2}}};

}  // namespace

TEST_CASE("the columns of R2 are those of the contract") {
  const Table table = bounds_of(calls_of(kDiamond));
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  CHECK(names == std::vector<std::string>{"scope", "serial_ms", "critical_ms", "work_ms", "memory_ms", "bound_ms",
                                          "max_gain_pct", "packed_ms", "limited_by", "launch_gap_ms", "graph"});
}

TEST_CASE("with a graph independent kernels may run side by side") {
  const Table table = bounds_of(calls_of(kDiamond), with_graph(kDiamondNodes));
  REQUIRE(table.rows.size() == 5);
  CHECK(bound_text(table, 0, kR2.scope) == "model");
  CHECK(bound_number(table, 0, kR2.serial_ms) == Approx(22));
  CHECK(bound_number(table, 0, kR2.critical_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.work_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.bound_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.packed_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.max_gain_pct) == Approx((22 / 12.0 - 1) * 100));
  CHECK(bound_text(table, 0, kR2.limited_by) == "critical path");
  CHECK(bound_text(table, 0, kR2.graph) == "onnx");
  CHECK(bound_number(table, 0, kR2.launch_gap_ms) == Approx(0.2));  // 100 µs in front of b and of c
  CHECK(is_null(table.at(0, kR2.memory_ms)));
  CHECK(has_note(table, "memory_ms is not known"));
  for (size_t row = 1; row < 5; ++row) {
    CHECK(bound_number(table, row, kR2.max_gain_pct) == 0);
    CHECK(bound_number(table, row, kR2.packed_ms) == bound_number(table, row, kR2.serial_ms));
  }
  CHECK(bound_text(table, 2, kR2.scope) == "layer 1: b");
  CHECK(bound_number(table, 2, kR2.work_ms) == Approx(5));
}

TEST_CASE("the part of R2 has the kernels in order and packed, and its picture a row for each that runs beside") {
  const Table table = bounds_of(calls_of(kDiamond), with_graph(kDiamondNodes));
  const Table* part = part_of(table, kR2Packing);
  REQUIRE(part != nullptr);
  REQUIRE(part->rows.size() == 8);
  CHECK(bound_number(*part, 7, kR2Packing.begin_ms) == Approx(11));
  CHECK(bound_number(*part, 2, kR2Packing.used_pct) == Approx(50));
  const std::vector<Figure> figures = packing_figures(table);
  REQUIRE(figures.size() == 1);
  REQUIRE(figures[0].y.size() == 3);
  CHECK(figures[0].y[2].label == "beside 1");
  CHECK(contains(figures[0].finding, "take 22 ms, packed side by side 12 ms"));
  CHECK(contains(svg_of(figures[0]), "<svg"));
  // Where nothing is gained there is no picture.
  const Table chain = bounds_of(calls_of(kDiamond), with_graph({{"a", {}}, {"b", {0}}, {"c", {1}}, {"d", {2}}}));
  CHECK(bound_number(chain, 0, kR2.max_gain_pct) == 0);
  CHECK(bound_number(chain, 0, kR2.packed_ms) == Approx(22));
  CHECK(packing_figures(chain).empty());
}

TEST_CASE("without a graph there is no critical path and no gain, and a note names --graph") {
  const Table table = bounds_of(calls_of(kDiamond));
  CHECK(is_null(table.at(0, kR2.critical_ms)));
  CHECK(is_null(table.at(0, kR2.max_gain_pct)));
  CHECK(is_null(table.at(0, kR2.packed_ms)));
  CHECK(bound_number(table, 0, kR2.serial_ms) == Approx(22));
  CHECK(bound_number(table, 0, kR2.work_ms) == Approx(12));
  CHECK(bound_text(table, 0, kR2.graph) == "none");
  CHECK(has_note(table, "--graph FILE"));
  CHECK(table.rows.size() == 1);  // kernels of a layer wait for one another: its work alone is no bound
}

TEST_CASE("without a graph the bound is at least the longest kernel") {
  const Table table = bounds_of(calls_of({{"a", 100, 9000, 40}, {"b", 9200, 1000, 40}}));
  CHECK(bound_number(table, 0, kR2.work_ms) == Approx(5));
  CHECK(bound_number(table, 0, kR2.bound_ms) == Approx(9));
  CHECK(bound_text(table, 0, kR2.limited_by) == "longest kernel");
}

TEST_CASE("of training no gain is computed, with a graph neither") {
  test::Analysed analysed({calls_of(kDiamond)});
  REQUIRE(analysed.status.ok());
  analysed.evaluations.groups[*analysed.study->subject].phases.mode = Mode::kTraining;
  const Table table = co_scheduling(*analysed.study);
  CHECK(has_note(table, "no gain is computed for training"));
  CHECK_FALSE(has_note(table, "--graph FILE"));
}

TEST_CASE("kernels that move data between ranks are no part of the bound") {
  auto kernels = kDiamond;
  // Beside b, and from the end of d on alone.
  kernels.push_back({"all", 1200, 10'000, 16, kRankStream});
  kernels.push_back({"more", 22'300, 700, 16, kRankStream});
  auto nodes = kDiamondNodes;
  nodes.push_back({"all", {0}});
  nodes.push_back({"more", {3}});
  const Table table = bounds_of(calls_of(kernels), with_graph(nodes));
  REQUIRE(table.rows.size() == 5);
  CHECK(bound_number(table, 0, kR2.serial_ms) == Approx(22));
  CHECK(bound_number(table, 2, kR2.serial_ms) == Approx(10));  // b has its time for itself
  CHECK(bound_number(table, 0, kR2.work_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.packed_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.launch_gap_ms) == Approx(0.2));
  CHECK(has_note(table, "2 kernels (10.7 ms) move data between ranks and are left out"));
  CHECK_FALSE(has_note(table, "at the same time as others"));
  const Table* part = part_of(table, kR2Packing);
  REQUIRE(part != nullptr);
  CHECK(part->rows.size() == 8);
  const Table alone = bounds_of(calls_of({{"all", 100, 1000, 16, kRankStream}}));
  CHECK(bound_number(alone, 0, kR2.serial_ms) == 0);
  CHECK(has_note(alone, "there is nothing to run side by side"));
}

TEST_CASE("notes about FLOPs and bytes are no notes of R2") {
  CHECK_FALSE(has_note(bounds_of(calls_of(kDiamond)), "gflops"));
}

TEST_CASE("a graph of another model gives nothing") {
  const Table table = bounds_of(calls_of(kDiamond), with_graph({{"x", {}}, {"y", {0}}}));
  CHECK(is_null(table.at(0, kR2.max_gain_pct)));
  CHECK(bound_text(table, 0, kR2.graph) == "none");
  CHECK(has_note(table, "no layer has the name of a node of net.onnx"));
}

TEST_CASE("layers without a node are free in the bound and alone in the packing") {
  const Table table = bounds_of(calls_of(kDiamond), with_graph({{"a", {}}, {"b", {0}}, {"d", {1}}}));
  CHECK(bound_number(table, 0, kR2.critical_ms) == Approx(12));
  CHECK(bound_number(table, 0, kR2.packed_ms) == Approx(22));
  CHECK(is_null(table.at(3, kR2.max_gain_pct)));  // c
  CHECK(has_note(table, "45.5 % of kernel time is in layers that are no node of net.onnx"));
}

TEST_CASE("kernels that overlap already share the time, and their sum is the union") {
  auto kernels = kDiamond;
  kernels[2].begin_us = 6200;  // c runs from the middle of b on
  kernels[2].stream = 8;
  kernels[3].begin_us = 16'200;
  const Table table = bounds_of(calls_of(kernels), with_graph(kDiamondNodes));
  CHECK(bound_number(table, 0, kR2.serial_ms) == Approx(17));
  CHECK(bound_number(table, 2, kR2.serial_ms) == Approx(7.5));
  CHECK(bound_number(table, 3, kR2.serial_ms) == Approx(7.5));
  CHECK(bound_number(table, 0, kR2.bound_ms) <= bound_number(table, 0, kR2.packed_ms));
  CHECK(bound_number(table, 0, kR2.packed_ms) <= 17.000001);
  CHECK(bound_number(table, 0, kR2.launch_gap_ms) == Approx(0.1));
  CHECK(has_note(table, "at the same time as others"));
}

TEST_CASE("a layer with an unknown launch has no bound, and adds nothing to the work of the model") {
  auto kernels = kDiamond;
  kernels[1].configuration = "grid=[40,1,1] block=[1024,1,1]";
  const Table table = bounds_of(calls_of(kernels), with_graph(kDiamondNodes));
  for (const ColumnDefinition* column : {&kR2.work_ms, &kR2.bound_ms, &kR2.max_gain_pct, &kR2.packed_ms}) {
    CHECK(is_null(table.at(2, *column)));
  }
  CHECK(bound_number(table, 2, kR2.serial_ms) == Approx(10));
  CHECK(bound_number(table, 0, kR2.work_ms) == Approx(7));
  CHECK(bound_number(table, 0, kR2.bound_ms) == Approx(12));
  CHECK(has_note(table, "1 of 4 kernels need of a multiprocessor is not known (45.5 % of kernel time"));
  CHECK(has_note(table, "1 layer with such kernels has no bound"));
}

TEST_CASE("memory bounds the model where counters tell the bytes of all kernels") {
  StudyOptions options = with_graph(kDiamondNodes);
  options.peaks.bytes_per_second = 1e9;
  const auto table_with = [&](MetricSource source, double bytes) {
    test::Measured measured(
        calls_of(kDiamond),
        [&](const std::string&, size_t) {
          KernelMetrics metrics;
          metrics.dram_read_bytes = bytes;
          metrics.dram_write_bytes = 0;
          metrics.flops = 1;
          metrics.source = source;
          return metrics;
        },
        options);
    return co_scheduling(measured.study());
  };
  const Table measured = table_with(MetricSource::kCounters, 5e6);  // 5 ms each
  CHECK(bound_number(measured, 0, kR2.memory_ms) == Approx(20));
  CHECK(bound_number(measured, 0, kR2.bound_ms) == Approx(20));
  CHECK(bound_number(measured, 0, kR2.packed_ms) == Approx(20));
  CHECK(bound_text(measured, 0, kR2.limited_by) == "memory bandwidth");
  CHECK(is_null(table_with(MetricSource::kAnalytic, 5e6).at(0, kR2.memory_ms)));
  const Table too_long = table_with(MetricSource::kCounters, 6e6);
  CHECK(bound_number(too_long, 0, kR2.memory_ms) == Approx(24));
  CHECK(bound_number(too_long, 0, kR2.bound_ms) == Approx(12));
  CHECK(has_note(too_long, "memory_ms is longer than the kernels ran"));
}

TEST_CASE("a finding tells what independent kernels could gain, only where the order is known") {
  const auto found_with = [&](const StudyOptions& options) {
    test::Analysed analysed({calls_of(kDiamond)}, options);
    REQUIRE(analysed.status.ok());
    const std::vector<Table> tables = {co_scheduling(*analysed.study)};
    std::vector<Finding> found;
    add_packing_findings({*analysed.study, tables}, &found);
    return found;
  };
  const std::vector<Finding> found = found_with(with_graph(kDiamondNodes));
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == "co-scheduling");
  CHECK(contains(found[0].text, "at best 1.8 times faster (12"));
  CHECK(contains(found[0].text, "critical path"));
  CHECK(*found[0].gain_ms == Approx(10));
  CHECK(found_with({}).empty());
  CHECK(found_with(with_graph({{"a", {}}, {"b", {0}}, {"c", {1}}, {"d", {2}}})).empty());
  CHECK(found_with(with_graph({{"b", {}}, {"c", {}}})).empty() == false);  // 91 % of kernel time is in the graph
}

}  // namespace xsp::analysis
