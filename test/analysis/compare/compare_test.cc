#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/finding.h"
#include "analysis/compare/matches.h"
#include "analysis/compare/model_match.h"
#include "analysis/compare/samples.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/table_cells.h"
#include "test/analysis/support/live_trace.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::Comparison;
using analysis::ComparisonTables;
using analysis::is_null;
using analysis::kCompared;
using analysis::RunValues;
using analysis::Statistic;
using analysis::Table;

struct KernelSpec {
  std::string name;
  int64_t us = 10;
};

struct LayerSpec {
  std::string name;
  std::string type;
  int64_t us = 100;
  std::vector<KernelSpec> kernels;
};

/// Evaluations of these layers one after another, each latency longer by a noise of up to 5 µs.
void add_evaluations(TraceBuilder& builder, const std::vector<LayerSpec>& layers, int evaluations, uint32_t seed,
                     const std::string& input = "[4,3]", const std::string& model_name = "Net") {
  std::mt19937 random(seed);
  uint32_t id = 0;
  int64_t at = 0;
  const auto span = [&](int level, int kind, int64_t begin, int64_t end, uint32_t own, uint32_t parent,
                        const std::string& name) {
    SpanSpec spec{.begin = begin, .end = end, .id = own, .parent = parent, .level = level, .kind = kind, .name = name};
    return spec;
  };
  for (int i = 0; i < evaluations; ++i) {
    const uint32_t root = ++id;
    const int64_t begin = at;
    std::vector<ExecutionSpec> executions;
    for (const LayerSpec& layer : layers) {
      const uint32_t own = ++id;
      const int64_t first = at;
      const auto noise = static_cast<int64_t>(random() % 5000);
      for (const KernelSpec& kernel : layer.kernels) {
        const uint32_t launch = ++id;
        SpanSpec spec = span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, at, at + kUs, launch, own, "cudaLaunchKernel");
        spec.correlation = launch;
        builder.add(spec);
        ExecutionSpec execution{.begin = at + kUs, .end = at + kUs + kernel.us * kUs + noise / 10};
        execution.name = kernel.name;
        execution.launch = launch;
        execution.correlation = launch;
        executions.push_back(execution);
        at = execution.end;
      }
      at = first + layer.us * kUs + noise;
      SpanSpec spec = span(LEVEL_LAYER, KIND_TORCH_MODULE, first, at, own, root, layer.name);
      spec.type = layer.type;
      builder.add(spec);
    }
    at += 2 * kUs;
    SpanSpec model = span(LEVEL_MODEL, KIND_TORCH_ROOT, begin, at, root, 0, model_name);
    model.input = input;
    builder.add(model);
    if (!executions.empty()) builder.add_executions(executions);
    at += 100 * kUs;
  }
}

std::string trace_of(const std::vector<LayerSpec>& layers, int evaluations = 8, uint32_t seed = 1) {
  TraceBuilder builder;
  builder.add_process(10);
  add_evaluations(builder, layers, evaluations, seed);
  return builder.bytes();
}

/// Two inputs and their comparisons.
struct Pair {
  Pair(const std::vector<std::string>& before, const std::vector<std::string>& after,
       const analysis::StudyOptions& options = {})
      : base(before, options),
        fresh(after, options),
        comparison(analysis::compare(*base.study, *fresh.study)),
        tables(comparison) {}
  Pair(const std::vector<LayerSpec>& before, const std::vector<LayerSpec>& after)
      : Pair(std::vector<std::string>{trace_of(before, 8, 1)}, std::vector<std::string>{trace_of(after, 11, 2)}) {}

  Analysed base;
  Analysed fresh;
  Comparison comparison;
  ComparisonTables tables;
};

/// "what change, what change" of the rows that are not the same.
std::string changes(const Table& table) {
  std::string result;
  for (const auto& row : table.rows) {
    const std::string change = text(row[kCompared.change.ordinal]);
    if (change == "same") continue;
    result += (result.empty() ? "" : ", ") + text(row[kCompared.what.ordinal]) + " " + change;
  }
  return result;
}

std::string significant(const Table& table) {
  std::string result;
  for (const auto& row : table.rows) {
    if (row[kCompared.significant.ordinal] != analysis::Cell(true)) continue;
    result += (result.empty() ? "" : ", ") + text(row[kCompared.what.ordinal]);
  }
  return result;
}

std::vector<LayerSpec> layers() {
  return {{"conv1", "Conv", 200, {{"gemm", 50}}},
          {"relu1", "ReLU", 40, {{"relu", 5}}},
          {"conv2", "Conv", 300, {{"im2col", 30}, {"gemm", 80}}},
          {"relu2", "ReLU", 40, {{"relu", 5}}},
          {"fc", "Linear", 100, {{"gemv", 20}}}};
}

TEST_CASE("one layer removed, added, renamed or moved is named alone") {
  auto after = layers();
  SECTION("nothing") {
    Pair pair(layers(), after);
    CHECK(changes(pair.tables.of("A2")).empty());
    CHECK(changes(pair.tables.of("A8")).empty());
    CHECK(significant(pair.tables.of("A2")).empty());
  }
  SECTION("removed") {
    after.erase(after.begin() + 3);
    Pair pair(layers(), after);
    CHECK(changes(pair.tables.of("A2")) == "relu2 removed");
    CHECK(changes(pair.tables.of("A8")) == "relu removed");
    CHECK(changes(pair.tables.of("A11")) == "relu2 removed");
    CHECK(changes(pair.tables.of("A6")).empty());
    CHECK(has_note(pair.tables.of("A2"), "1 layer removed: relu2 (was index 3)"));
  }
  SECTION("added") {
    after.insert(after.begin() + 1, {"bn1", "BatchNorm", 60, {}});
    Pair pair(layers(), after);
    CHECK(changes(pair.tables.of("A2")) == "bn1 added");
    CHECK(changes(pair.tables.of("A6")) == "BatchNorm added");
    CHECK(changes(pair.tables.of("A8")).empty());
    CHECK(has_note(pair.tables.of("A2"), "1 layer added: bn1 (index 1)"));
  }
  SECTION("renamed") {
    after[2].name = "conv2_fused";
    Pair pair(layers(), after);
    CHECK(changes(pair.tables.of("A2")) == "conv2 → conv2_fused renamed");
    CHECK(changes(pair.tables.of("A8")).empty());
  }
  SECTION("swapped") {
    std::swap(after[3], after[4]);
    Pair pair(layers(), after);
    const std::string moved = changes(pair.tables.of("A2"));
    CHECK((moved == "relu2 moved" || moved == "fc moved"));
    CHECK(changes(pair.tables.of("A8")).empty());
  }
  SECTION("two at once") {
    after.erase(after.begin() + 1);
    after[3].name = "head";
    Pair pair(layers(), after);
    CHECK(changes(pair.tables.of("A2")) == "relu1 removed, fc → head renamed");
  }
}

TEST_CASE("of layers with equal names the one that is gone is told by its neighbours") {
  auto before = layers();
  before[3].name = before[1].name;
  auto after = before;
  after.erase(after.begin() + 1);
  Pair pair(before, after);
  const Table& table = pair.tables.of("A2");
  REQUIRE(changes(table) == "relu1 removed");
  for (const auto& row : table.rows) {
    if (text(row[kCompared.change.ordinal]) != "removed") continue;
    CHECK(number(row[*find_column(table, analysis::columns::kBaseIndex)]) == 1);
  }
}

TEST_CASE("another kernel in a layer is named, and only in that layer") {
  auto after = layers();
  after[2].kernels[1] = {"winograd", 60};
  Pair pair(layers(), after);
  CHECK(changes(pair.tables.of("A8")) == "gemm removed, winograd added");
  CHECK(changes(pair.tables.of("A10")) == "winograd added");
  CHECK(changes(pair.tables.of("A11")).empty());
  CHECK(changes(pair.tables.of("A2")).empty());
  CHECK(significant(pair.tables.of("A11")) == "conv2");
  CHECK(significant(pair.tables.of("A10")) == "gemm");  // one less of it
}

TEST_CASE("kernels of a layer meet by name, and what is left is removed and added") {
  auto before = layers();
  auto after = layers();
  SECTION("versions of a kernel are renamed") {
    before[0].kernels = {{"ampere_sgemm_128x64_nn", 50}};
    after[0].kernels = {{"volta_sgemm_32x128_nn", 50}};
    before[4].kernels = {{"void gemv<int, 128, float>(int)", 20}};
    after[4].kernels = {{"void gemv<int, 64, __half>(int)", 20}};
    Pair pair(before, after);
    CHECK(changes(pair.tables.of("A8")) ==
          "ampere_sgemm_128x64_nn → volta_sgemm_32x128_nn renamed, "
          "void gemv<int, 128, float>(int) → void gemv<int, 64, __half>(int) renamed");
  }
  SECTION("other kernels at their places are not") {
    before[2].kernels = {{"fill", 1}, {"ampere_sgemm_128x64_nn", 80}, {"softmax", 5}};
    after[2].kernels = {{"ampere_sgemm_128x64_nt", 80}, {"wgrad", 300}, {"softmax", 5}};
    Pair pair(before, after);
    CHECK(changes(pair.tables.of("A8")) ==
          "fill removed, ampere_sgemm_128x64_nn removed, ampere_sgemm_128x64_nt added, wgrad added");
  }
  SECTION("another order is no other kernel") {
    after[2].kernels = {{"gemm", 80}, {"im2col", 30}};
    Pair pair(before, after);
    CHECK(changes(pair.tables.of("A8")) == "im2col moved");
  }
}

TEST_CASE("layers without a type and methods of an optimizer are renamed into nothing") {
  auto before = layers();
  auto after = layers();
  before.push_back({"SGD.zero_grad", "Optimizer", 50, {}});
  after.push_back({"SGD.step", "Optimizer", 500, {}});
  before[1] = {"load", "", 40, {}};
  after[1] = {"augment", "", 400, {}};
  Pair pair(before, after);
  CHECK(changes(pair.tables.of("A2")) == "load removed, augment added, SGD.zero_grad removed, SGD.step added");
  after.back().name = "Adam.zero_grad";
  Pair other(before, after);
  CHECK(changes(other.tables.of("A2")) == "load removed, augment added, SGD.zero_grad → Adam.zero_grad renamed");
}

TEST_CASE("the largest differences are shown first, whatever their sign") {
  auto after = layers();
  after[0].us = 150;
  after[2].us = 900;
  after.insert(after.begin() + 1, {"bn1", "BatchNorm", 60, {{"bn", 9}}});
  Pair pair(layers(), after);
  for (const char* id : {"A2", "A6", "A8", "A10", "A11"}) {
    const Table shown = pair.tables.ranked(id);
    CHECK(shown.rows.size() == pair.tables.of(id).rows.size());
    double last = INFINITY;
    for (const auto& row : shown.rows) {
      const double difference = std::fabs(number(row[kCompared.difference.ordinal]));
      CHECK(difference <= last);
      last = difference;
    }
  }
  const Table a2 = pair.tables.ranked("A2");
  CHECK(text(a2.rows[0][kCompared.what.ordinal]) == "conv2");
  CHECK(text(a2.rows[1][kCompared.what.ordinal]) == "bn1");
  CHECK(text(a2.rows[2][kCompared.what.ordinal]) == "conv1");
  const std::string finding = finding_of(pair.tables);
  CHECK(finding.find("conv2 +0.6") != std::string::npos);
  CHECK(finding.find("1 layer added") != std::string::npos);
}

TEST_CASE("beyond a factor of 100 there is no percentage") {
  auto before = layers();
  auto after = layers();
  before[1].kernels = {{"relu", 1}};
  after[1].us = 2000;
  after[1].kernels = {{"relu", 500}};
  Pair pair(before, after);
  for (const auto& row : pair.tables.of("A8").rows) {
    const Cell& percent = row[kCompared.difference_pct.ordinal];
    const double factor = number(row[kCompared.fresh.ordinal]) / number(row[kCompared.base.ordinal]);
    CHECK(is_null(percent) == (factor > 100));
  }
  CHECK(is_null(pair.tables.ranked("A8").rows[0][kCompared.difference_pct.ordinal]));
}

TEST_CASE("kernels are compared by the names that people read") {
  auto before = layers();
  before[0].kernels[0].name = "_Z4gemmPf";
  auto after = layers();
  after[0].kernels[0].name = "gemm(float*)";
  Pair pair(before, after);
  CHECK(changes(pair.tables.of("A10")).empty());
  CHECK(changes(pair.tables.of("A8")).empty());
}

TEST_CASE("rows of a comparison have the numbers of the tables that they compare") {
  auto after = layers();
  after[2].us = 400;
  Pair pair(layers(), after);
  const Table& a2 = pair.tables.of("A2");
  const Table base = pair.base.table("A2");
  const Table fresh = pair.fresh.table("A2");
  REQUIRE(a2.rows.size() == base.rows.size());
  for (size_t i = 0; i < a2.rows.size(); ++i) {
    CHECK(number(a2.rows[i][kCompared.base.ordinal]) == Approx(number(base.rows[i][4])));
    CHECK(number(a2.rows[i][kCompared.fresh.ordinal]) == Approx(number(fresh.rows[i][4])));
    const double difference = number(a2.rows[i][kCompared.difference.ordinal]);
    CHECK(number(a2.rows[i][kCompared.ci_low.ordinal]) <= difference);
    CHECK(number(a2.rows[i][kCompared.ci_high.ordinal]) >= difference);
  }
  CHECK(significant(a2) == "conv2");
  CHECK(significant(pair.tables.of("A6")) == "Conv");
  CHECK(significant(pair.tables.of("A1")) == "Net");
  CHECK(number(a2.rows[0][kCompared.n_base.ordinal]) == 7);
  CHECK(number(a2.rows[0][kCompared.n_new.ordinal]) == 10);
  const std::string finding = finding_of(pair.tables);
  CHECK(finding.find("slower than BASE (0.6") != std::string::npos);
  CHECK(finding.find("ms, significant): 1 layer accounts for") != std::string::npos);
  CHECK(finding.find("conv2 +0.1") != std::string::npos);
}

TEST_CASE("a trace compared with itself has no difference") {
  const std::vector<std::string> trace = {trace_of(layers())};
  Pair pair(trace, trace);
  for (const char* id : {"A1", "A2", "A6", "A8", "A10", "A11"}) {
    const Table& table = pair.tables.of(id);
    CHECK_FALSE(table.rows.empty());
    CHECK(changes(table).empty());
    CHECK(significant(table).empty());
    for (const auto& row : table.rows) CHECK(number(row[kCompared.difference.ordinal]) == 0);
  }
  CHECK(finding_of(pair.tables) == "Net: NEW is as fast as BASE");
}

TEST_CASE("of training the finding says that the times of layers are those of forward calls") {
  const auto recording = [](int64_t longer_ms, bool trains) {
    LiveTrace trace;
    for (int i = 0; i < 4; ++i) {
      trace.begin_model("Net");
      trace.begin(KIND_TORCH_MODULE, "a", "Linear", LEVEL_LAYER);
      const uint32_t forward = trace.op("aten::addmm");
      trace.wait(longer_ms);
      trace.end();
      trace.end();
      if (trains) trace.backward("AddmmBackward0", forward);
    }
    return trace.bytes();
  };
  const std::string kForward = "(forward calls only, without backward work)";
  Pair training({recording(0, true)}, {recording(20, true)});
  CHECK(finding_of(training.tables).find("a +20 ms " + kForward) != std::string::npos);
  Pair inference({recording(0, false)}, {recording(20, false)});
  CHECK(finding_of(inference.tables).find("a +20 ms") != std::string::npos);
  CHECK(finding_of(inference.tables).find(kForward) == std::string::npos);
}

TEST_CASE("traces without models are compared by what they have, and nothing is called significant") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add({.begin = 0, .end = 50 * kUs, .id = 1, .name = "loose", .type = "Conv"});
  const std::vector<std::string> trace = {builder.bytes()};
  Pair pair(trace, trace);
  for (const char* id : {"A1", "A2", "A6", "A8", "A10", "A11"}) CHECK(significant(pair.tables.of(id)).empty());
  CHECK(pair.tables.of("A2").rows.size() == 1);
  CHECK(is_null(pair.tables.of("A2").rows[0][kCompared.significant.ordinal]));
}

TEST_CASE("the samples of a row are the values behind its number, run by run") {
  std::vector<std::string> runs;
  for (uint32_t run = 0; run < 3; ++run) {
    TraceBuilder builder;
    builder.describe_run(run, "", run + 1);
    builder.add_process(10 + run);
    add_evaluations(builder, layers(), 5, run);
    runs.push_back(builder.bytes());
  }
  const Analysed set(runs, {.statistic = {Statistic::Kind::kMean}, .skip = 1});
  REQUIRE(set.study);
  REQUIRE(set.study->subject);
  const auto mean = [](const RunValues& values) {
    double sum = 0;
    for (const auto& run : values) {
      for (const double value : run) sum += value;
    }
    return sum / static_cast<double>(analysis::count_of(values));
  };
  const auto model = analysis::latencies_by_run(*set.study, set.study->evaluations.groups[*set.study->subject]);
  REQUIRE(model.size() == 3);
  for (const auto& run : model) CHECK(run.size() == 4);
  CHECK(mean(model) == Approx(set.study->model_latency_ns));
  const auto by_layer = analysis::layer_samples(*set.study);
  REQUIRE(by_layer.size() == 5);
  for (size_t i = 0; i < by_layer.size(); ++i) {
    CHECK(by_layer[i].size() == 3);
    CHECK(mean(by_layer[i]) == Approx(set.study->joined.layers[i].latency_ns));
  }
  const auto by_kernel = analysis::kernel_samples(*set.study);
  REQUIRE(by_kernel.size() == 6);
  for (size_t i = 0; i < by_kernel.size(); ++i) {
    CHECK(mean(by_kernel[i]) == Approx(set.study->kernels.kernels[i].latency_ns));
  }
}

/// A recording of a process of this rank (empty: none) whose model has these input shapes.
std::string trace_of_rank(const std::string& rank, const std::string& input, const std::vector<LayerSpec>& layers,
                          uint32_t seed, const std::string& model = "Net") {
  TraceBuilder builder;
  builder.add_process(10 + seed, rank);
  add_evaluations(builder, layers, 8, seed, input, model);
  return builder.bytes();
}

TEST_CASE("another rank of a job is compared, and that it is another is said first") {
  auto after = layers();
  after[2].us = 400;
  Pair pair(std::vector<std::string>{trace_of_rank("0", "[4,3]", layers(), 1)},
            std::vector<std::string>{trace_of_rank("1", "[4,3]", after, 3)});
  CHECK(finding_of(pair.tables).starts_with("Net (rank 0 of BASE compared with rank 1 of NEW): NEW is "));
  CHECK(has_note(pair.tables.of("A1"), "rank 0 of BASE compared with rank 1 of NEW"));
  CHECK(changes(pair.tables.of("A1")).empty());
  CHECK(significant(pair.tables.of("A2")) == "conv2");
}

TEST_CASE("of two inputs with all ranks the same rank is compared, whichever is the largest") {
  const auto recorded = [](const std::vector<LayerSpec>& of_0, const std::vector<LayerSpec>& of_1, uint32_t seed) {
    return std::vector<std::string>{trace_of_rank("0", "[4,3]", of_0, seed),
                                    trace_of_rank("1", "[4,3]", of_1, seed + 1)};
  };
  auto slow = layers();
  slow[1].us = 500;
  auto slower = layers();
  slower[2].us = 900;
  // Rank 0 was the slower one, then rank 1 is.
  const Analysed base(recorded(slow, layers(), 1));
  analysis::StudyOptions options;
  options.like = analysis::same_subject(*base.study);
  REQUIRE(options.like);
  CHECK(options.like->rank == "0");
  const Analysed fresh(recorded(slow, slower, 3), options);
  const Comparison comparison = analysis::compare(*base.study, *fresh.study);
  ComparisonTables tables(comparison);
  CHECK(is_same_subject(comparison));
  CHECK(changes(tables.of("A1")).empty());
  CHECK_FALSE(tables.of("A2").rows.empty());
  CHECK(significant(tables.of("A2")).empty());
  CHECK_FALSE(significant(tables.of("A1")).empty());
  // Without it the largest ones meet: two ranks that do not do the same.
  CHECK_FALSE(is_same_subject(analysis::compare(*base.study, *Analysed(recorded(slow, slower, 3)).study)));
}

TEST_CASE("a recording without shapes meets the only model that it can be of") {
  const std::vector<std::string> base = {trace_of_rank("", "[4,3]", layers(), 1)};
  Pair pair(base, {trace_of_rank("", "", layers(), 2)});
  CHECK(finding_of(pair.tables).starts_with("Net (input shapes [4,3] of BASE, not recorded in NEW): "));
}

TEST_CASE("models that do not meet are told by what differs") {
  const std::vector<std::string> base = {trace_of_rank("0", "[4,3]", layers(), 1)};
  Pair shapes(base, {trace_of_rank("1", "[8,3]", layers(), 2)});
  CHECK(finding_of(shapes.tables)
            .starts_with("BASE and NEW have no model in common: they differ in input shapes (BASE [4,3]; NEW "
                         "[8,3]), rank (BASE 0; NEW 1)"));
  const std::vector<LayerSpec> others = {{"embed", "Embedding", 10, {{"gather", 2}}},
                                         {"attention", "Attention", 90, {{"flash", 60}}},
                                         {"fc", "Linear", 100, {{"gemv", 20}}}};
  Pair unlike(base, {trace_of_rank("0", "[4,3]", others, 2, "Other")});
  CHECK(finding_of(unlike.tables) ==
        "BASE and NEW have no model in common: they differ in model (BASE Net; NEW Other); layers and kernels "
        "are not compared: the models differ (only 20 % of layers in common)");
  for (const char* id : {"A2", "A6", "A8", "A10", "A11"}) CHECK(unlike.tables.of(id).rows.empty());
}

TEST_CASE("what differs for certain is named even where the whole may not differ") {
  // One layer is 60 µs faster in every evaluation, another one varies by more than that.
  const auto recording = [](int64_t us, uint32_t seed) {
    std::mt19937 random(seed);
    TraceBuilder builder;
    builder.add_process(10);
    int64_t at = 0;
    for (uint32_t i = 0; i < 9; ++i) {
      const uint32_t root = 10 * i + 1;
      const int64_t begin = at;
      for (uint32_t layer = 0; layer < 2; ++layer) {
        const int64_t noise = static_cast<int64_t>(random() % (layer == 0 ? 2000 : 900000));
        SpanSpec spec{.begin = at,
                      .end = at + (layer == 0 ? us : 1000) * kUs + noise,
                      .id = root + layer + 1,
                      .parent = root,
                      .level = LEVEL_LAYER,
                      .kind = KIND_TORCH_MODULE};
        spec.name = layer == 0 ? "loader" : "work";
        spec.type = "Layer";
        builder.add(spec);
        at = spec.end;
      }
      builder.add(
          {.begin = begin, .end = at, .id = root, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "Net"});
      at += 100 * kUs;
    }
    return builder.bytes();
  };
  Pair pair(std::vector<std::string>{recording(100, 1)}, std::vector<std::string>{recording(40, 2)});
  const std::string finding = finding_of(pair.tables);
  CHECK(finding.find("; not significant: could be noise); significant: loader -0.06") != std::string::npos);
}

TEST_CASE("inputs of other circumstances are compared with a word about them") {
  TraceBuilder model;
  model.message().mutable_packet(0)->mutable_header()->set_requested_level("model");
  model.message().mutable_packet(0)->mutable_header()->set_hostname("a");
  model.add_process(10);
  add_evaluations(model, {}, 4, 1);
  TraceBuilder all;
  all.message().mutable_packet(0)->mutable_header()->set_hostname("b");
  all.add_process(10);
  add_evaluations(all, layers(), 4, 1);
  Pair pair(std::vector<std::string>{model.bytes()}, std::vector<std::string>{all.bytes()});
  CHECK(has_note(pair.tables.of("A1"), "different levels"));
  CHECK(has_note(pair.tables.of("A1"), "machine: BASE a; NEW b"));
  CHECK(changes(pair.tables.of("A2")) == "conv1 added, relu1 added, conv2 added, relu2 added, fc added");
}

}  // namespace
}  // namespace xsp::test
