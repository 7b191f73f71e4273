#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "analysis/render/render.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/registry.h"
#include "analysis/trace/byte_source.h"
#include "analysis/trace/loader.h"
#include "test/analysis/contains.h"
#include "test/analysis/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::DataType;
using analysis::is_null;
using analysis::KernelMetrics;
using analysis::Metrics;
using analysis::MetricSource;
using analysis::StudyOptions;
using analysis::Table;

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kGiga = 1e9;
constexpr double kUnknown = KernelMetrics::kUnknown;

/// A trace whose executions have given metrics.
class Measured {
 public:
  using MetricsOf = std::function<KernelMetrics(const std::string& name, size_t execution)>;

  Measured(const std::string& bytes, const MetricsOf& metrics_of, StudyOptions options = {}) {
    analysis::MemorySource source(bytes);
    REQUIRE(analysis::load_trace(source, "test.pb", &trace_).ok());
    parents_ = analysis::find_parents(trace_);
    evaluations_ = analysis::find_evaluations(trace_, parents_);
    executions_ = analysis::place_executions(trace_, parents_, evaluations_);
    Metrics metrics;
    for (size_t i = 0; i < trace_.executions.size(); ++i) {
      metrics.of.push_back(metrics_of(std::string(trace_.text(trace_.spans.name[trace_.executions.row[i]])), i));
      if (metrics.of.back().source != MetricSource::kNone) metrics.source = metrics.of.back().source;
    }
    REQUIRE(
        analysis::make_study(trace_, parents_, evaluations_, executions_, options, &study_, std::move(metrics)).ok());
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

  Table table(const std::string& id) const {
    std::vector<const analysis::Analysis*> chosen;
    REQUIRE(analysis::choose_analyses({id}, &chosen).ok());
    Table table = analysis::run_analysis(*chosen.front(), *study_);
    for (const auto& row : table.rows) REQUIRE(row.size() == table.columns.size());
    return table;
  }
  /// To be changed; what the tables kept of it is forgotten.
  analysis::Study& study() {
    study_->kernel_contradiction.reset();
    study_->kernel_metric_notes.reset();
    return *study_;
  }

 private:
  analysis::Trace trace_;
  analysis::Parents parents_;
  analysis::Evaluations evaluations_;
  analysis::Executions executions_;
  std::optional<analysis::Study> study_;
};

analysis::Cell cell_of(const Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return table.rows.at(row).at(i);
  }
  FAIL("no column " << column);
  return {};
}

double value(const Table& table, size_t row, const std::string& column) { return number(cell_of(table, row, column)); }
std::string words(const Table& table, size_t row, const std::string& column) {
  return text(cell_of(table, row, column));
}
bool null(const Table& table, size_t row, const std::string& column) { return is_null(cell_of(table, row, column)); }

/// 1: true, 0: false, -1: null.
int truth(const Table& table, size_t row, const std::string& column) {
  const auto cell = cell_of(table, row, column);
  const auto* found = std::get_if<bool>(&cell);
  return found == nullptr ? -1 : *found ? 1 : 0;
}

void check_columns(const Table& table, const std::vector<std::string>& names) {
  REQUIRE(table.columns.size() >= names.size());
  for (size_t i = 0; i < names.size(); ++i) CHECK(table.columns[i].name == names[i]);
  std::set<std::string> all;
  for (const auto& column : table.columns) CHECK(all.insert(column.name).second);
}

KernelMetrics counted(double gflop, double read_mib, double write_mib, double occupancy = kUnknown,
                      DataType type = DataType::kF32) {
  KernelMetrics metrics;
  metrics.flops = gflop * kGiga;
  metrics.dram_read_bytes = read_mib * kMib;
  metrics.dram_write_bytes = write_mib * kMib;
  metrics.occupancy_pct = occupancy;
  metrics.type = type;
  metrics.source = MetricSource::kCounters;
  return metrics;
}

struct PaperKernel {
  std::string name;
  int64_t latency_us;
  int layer = -1;  // ordinal; kernels of a layer follow each other
};

/// One evaluation of `model_us` on a V100; each layer is as long as its kernels and 100 µs.
void add_model(TraceBuilder& builder, uint32_t root, int64_t at_us, int64_t model_us, const std::string& input,
               const std::vector<PaperKernel>& kernels) {
  constexpr int64_t kUs = 1000;
  std::vector<ExecutionSpec> executions;
  uint32_t id = root;
  int64_t now = at_us + 10;
  for (size_t i = 0; i < kernels.size();) {
    const int layer = kernels[i].layer;
    const int64_t begin = now;
    const uint32_t parent = layer < 0 ? root : ++id;
    now += 50;
    for (; i < kernels.size() && kernels[i].layer == layer; ++i) {
      SpanSpec call{.begin = (begin + 1) * kUs, .end = (begin + 2) * kUs, .id = ++id, .parent = parent};
      call.level = LEVEL_RUNTIME;
      call.kind = KIND_RUNTIME_CALL;
      call.name = "cudaLaunchKernel";
      builder.add(call);
      ExecutionSpec run{.begin = now * kUs, .end = (now + kernels[i].latency_us) * kUs, .name = kernels[i].name};
      run.launch = id;
      executions.push_back(run);
      now += kernels[i].latency_us;
    }
    now += 50;
    if (layer < 0) continue;
    SpanSpec span{.begin = begin * kUs, .end = now * kUs, .id = parent, .parent = root};
    span.kind = KIND_TORCH_MODULE;
    span.name = fmt::format("layer{}", layer);
    builder.add(span);
  }
  SpanSpec model{.begin = at_us * kUs, .end = (at_us + model_us) * kUs, .id = root, .level = LEVEL_MODEL};
  model.kind = KIND_TORCH_ROOT;
  model.name = "ResNet50";
  model.input = input;
  builder.add(model);
  builder.add_executions(executions);
}

void add_device(TraceBuilder& builder, const std::string& name) { builder.packet(1)->mutable_device()->set_name(name); }

/// Two evaluations of one model on a V100.
std::string paper_trace(int64_t model_us, const std::vector<PaperKernel>& kernels, const std::string& device) {
  TraceBuilder builder;
  builder.add_process(10);
  if (!device.empty()) add_device(builder, device);
  for (uint32_t i = 0; i < 2; ++i) {
    add_model(builder, 1 + 1000 * i, 1'000'000 * int64_t{i}, model_us, "[256,224,224,3]", kernels);
  }
  return builder.bytes();
}

const std::string kV100 = "Tesla V100-SXM2-16GB";

TEST_CASE("Table III: the longest kernel in A8 and A9") {
  const Measured measured(paper_trace(10'000, {{"volta_cgemm_32x32_tn", 6040, 0}}, kV100),
                          [](auto&&...) { return counted(77.42, 40.33, 43.86, 12.18); });
  const Table a8 = measured.table("A8");
  CHECK(value(a8, 0, "gflops") == Approx(77.42));
  CHECK(value(a8, 0, "dram_read_mib") == Approx(40.33));
  CHECK(value(a8, 0, "dram_write_mib") == Approx(43.86));
  CHECK(value(a8, 0, "occupancy_pct") == Approx(12.18));
  CHECK(value(a8, 0, "arithmetic_intensity") == Approx(876.99).epsilon(1e-5));  // printed 876.97
  CHECK(value(a8, 0, "throughput_tflops") == Approx(12.82).epsilon(0.0005));
  CHECK(truth(a8, 0, "memory_bound") == 0);
  CHECK(words(a8, 0, "source") == "counters");
  CHECK(words(a8, 0, "data_type") == "f32");
  CHECK(null(a8, 0, "algorithmic_gflops"));
  CHECK(null(a8, 0, "flags"));
  const Table a9 = measured.table("A9");
  check_columns(a9, {"kernel_name", "latency_ms", "arithmetic_intensity", "throughput_tflops", "data_type",
                     "peak_tflops", "bandwidth_gbs", "bound", "pct_of_roof"});
  REQUIRE(a9.rows.size() == 1);
  CHECK(words(a9, 0, "kernel_name") == "volta_cgemm_32x32_tn");
  CHECK(value(a9, 0, "latency_ms") == Approx(6.04));
  CHECK(value(a9, 0, "arithmetic_intensity") == Approx(876.99).epsilon(1e-5));
  CHECK(value(a9, 0, "peak_tflops") == 15.7);
  CHECK(value(a9, 0, "bandwidth_gbs") == 900);
  CHECK(words(a9, 0, "bound") == "compute");
  CHECK(value(a9, 0, "pct_of_roof") == Approx(100 * 77.42 / 6.04 / 15.7));
  CHECK(has_note(a9, "roofs of Tesla V100-SXM2-16GB: f32 15.7 TFLOPS (NVIDIA Tesla V100 data sheet); memory 900 GB/s"));
  CHECK(has_note(a9, "--peak-flops and --mem-bw; the data sheet"));
  CHECK(has_note(a9, "hardware counters"));
  CHECK(has_note(a9, "work is known for all"));
  CHECK(!a9.lacks_data);
}

/// Counters of executions 1, 2, … of process 1, as nvprof names them.
void add_counters(TraceBuilder& builder, const std::vector<std::pair<std::string, std::vector<double>>>& kernels) {
  std::vector<uint32_t> metrics;
  for (const char* name : {"flop_count_sp", "dram_read_bytes", "dram_write_bytes", "achieved_occupancy"}) {
    metrics.push_back(builder.string_id(1, name));
  }
  std::vector<uint32_t> names;
  for (const auto& [name, values] : kernels) names.push_back(builder.string_id(1, name));
  auto* batch = builder.packet(1)->mutable_counters();
  batch->set_count(static_cast<uint32_t>(kernels.size()));
  for (const uint32_t metric : metrics) batch->add_metric(metric);
  for (size_t i = 0; i < kernels.size(); ++i) {
    batch->add_name(names[i]);
    batch->add_ordinal(i == 0 ? 0 : 1);
    batch->add_execution(2);  // each one more than the one before
    for (const double value : kernels[i].second) batch->add_value(value);
  }
}

TEST_CASE("Tables III and V from counters in the trace") {
  TraceBuilder builder;
  builder.add_process(10);
  add_device(builder, kV100);
  add_model(builder, 1, 0, 20'000, "[256,224,224,3]", {{"cgemm", 6040, 0}, {"transform", 1410, 0}, {"relu", 500, 1}});
  add_counters(builder, {{"cgemm", {77.42e9, 40.33 * kMib, 43.86 * kMib, 0.1218}},
                         {"transform", {2.32e9, 322.34 * kMib, 504.64 * kMib, 0.5}},
                         {"relu", {0, 100 * kMib, 100 * kMib, 0.9}}});
  const Analysed analysed({builder.bytes()});
  const Table a8 = analysed.table("A8");
  REQUIRE(a8.rows.size() == 3);
  CHECK(value(a8, 0, "arithmetic_intensity") == Approx(876.99).epsilon(1e-5));
  CHECK(value(a8, 0, "throughput_tflops") == Approx(12.82).epsilon(0.0005));
  CHECK(value(a8, 0, "occupancy_pct") == Approx(12.18));
  CHECK(words(a8, 0, "source") == "counters");
  CHECK(truth(a8, 0, "memory_bound") == 0);
  CHECK(truth(a8, 2, "memory_bound") == 1);
  const Table a11 = analysed.table("A11");
  CHECK(value(a11, 0, "gflops") == Approx(79.74));
  CHECK(value(a11, 0, "dram_read_mib") == Approx(362.67));
  CHECK(value(a11, 0, "dram_write_mib") == Approx(548.50));
  CHECK(value(a11, 0, "kernel_latency_ms") == Approx(7.45));
  CHECK(value(a11, 0, "arithmetic_intensity") == Approx(83.46).epsilon(0.0001));
  CHECK(value(a11, 0, "throughput_tflops") == Approx(10.70).epsilon(0.0005));
  CHECK(value(analysed.table("A9"), 0, "peak_tflops") == 15.7);
  CHECK(has_note(a11, "hardware counters counted"));
}

TEST_CASE("the tables of metrics in text, JSON and CSV") {
  const Measured measured(paper_trace(10'000, {{"gemm", 1000, 0}, {"copy", 2000, 1}}, kV100),
                          [](const std::string& name, size_t) { return counted(name == "gemm" ? 9 : 0, 90, 10); });
  const std::string text = analysis::render_text({measured.table("A9")}, {});
  CHECK(contains(text, "pct_of_roof  layer_index"));
  CHECK(contains(text, "bandwidth_gbs  bound"));
  CHECK(contains(text, "compute"));
  const std::string csv = analysis::render_csv({measured.table("A8")}, {});
  CHECK(contains(csv, ",9,90,10,,"));
  CHECK(contains(csv, ",false,counters,"));
  CHECK(contains(csv, ",true,counters,"));
  const std::string json = analysis::render_json({measured.table("A14")}, {}, {.top = 1});
  CHECK(contains(json, "[1,\"layer1\",2.0,0.0,0.0,\"f32\",15.7,900.0,\"memory\","));
  CHECK(contains(json, "2 more rows left out by --top"));
}

TEST_CASE("Table IV: kernels by name") {
  std::vector<PaperKernel> kernels;
  for (int i = 0; i < 34; ++i) kernels.push_back({"volta_scudnn_128x64_relu_interior_nn_v1", i == 0 ? 2450 : 2500, i});
  kernels.push_back({"rest", 254'250 - 84'950, 40});
  const Measured measured(paper_trace(275'050, kernels, kV100), [](const std::string& name, size_t) {
    if (name == "rest") return counted(688.76, 18755.47, 25601.23, 50);
    return counted(1053.63 / 34, 4429.64 / 34, 5494.22 / 34, 20);
  });
  const Table a10 = measured.table("A10");
  REQUIRE(a10.rows.size() == 2);
  CHECK(value(a10, 1, "count") == 34);
  CHECK(value(a10, 1, "gflops") == Approx(1053.63));
  CHECK(value(a10, 1, "arithmetic_intensity") == Approx(101.25).epsilon(0.0001));
  CHECK(value(a10, 1, "throughput_tflops") == Approx(12.40).epsilon(0.0005));
  CHECK(value(a10, 1, "latency_pct") == Approx(30.89).epsilon(0.0002));  // printed 30.87
  CHECK(value(a10, 1, "occupancy_pct") == Approx(20));
  CHECK(truth(a10, 1, "memory_bound") == 0);
  CHECK(truth(a10, 0, "memory_bound") == 1);
  CHECK(value(a10, 1, "metrics_pct") == Approx(100));
  CHECK(words(a10, 1, "data_type") == "f32");
  const Table a15 = measured.table("A15");
  CHECK(value(a15, 0, "gflops") == Approx(1742.39));
  CHECK(value(a15, 0, "occupancy_pct") == Approx((20 * 84.95 + 50 * 169.3) / 254.25));
  CHECK(a10.contradiction.empty());
}

TEST_CASE("Table IV: the graph has one kernel more than printed of each element-wise kind") {
  // 53 products, 52 sums and 49 ReLUs are counted where the table prints 52, 51 and 48: nothing is left out.
  std::vector<PaperKernel> kernels;
  for (int i = 0; i < 53; ++i) kernels.push_back({"scalar_product_op", 536, i});
  for (int i = 0; i < 52; ++i) kernels.push_back({"scalar_sum_op", 507, 100 + i});
  for (int i = 0; i < 49; ++i) kernels.push_back({"scalar_max_op", 512, 200 + i});
  const Measured measured(paper_trace(275'050, kernels, kV100), [](const std::string& name, size_t) {
    return name == "scalar_max_op" ? counted(0, 77, 108) : counted(0.055, 57, 98);
  });
  const Table a10 = measured.table("A10");
  std::map<std::string, double> counts;
  for (size_t i = 0; i < a10.rows.size(); ++i) {
    counts[words(a10, i, "kernel_name")] = value(a10, i, "count");
    CHECK(truth(a10, i, "memory_bound") == 1);
  }
  CHECK(counts["scalar_product_op"] == 53);
  CHECK(counts["scalar_sum_op"] == 52);
  CHECK(counts["scalar_max_op"] == 49);
}

TEST_CASE("Table V: kernels by layer, also in A12 and A14") {
  const std::vector<PaperKernel> kernels = {
      {"transform", 450, 0}, {"gemm", 7000, 0}, {"conv", 4910, 1}, {"relu", 500, 2}, {"loose", 100}};
  const Measured measured(paper_trace(20'000, kernels, kV100), [](const std::string& name, size_t) {
    if (name == "transform") return counted(0, 162.67, 148.5, 40);
    if (name == "gemm") return counted(79.74, 200, 400, 18.1);
    if (name == "conv") return counted(62.89, 11.55, 284.21, 13.23);
    if (name == "relu") return counted(0, 100, 100, 90);
    return counted(1, 1, 1, 50);
  });
  const Table a11 = measured.table("A11");
  REQUIRE(a11.rows.size() == 4);
  CHECK(value(a11, 0, "kernel_latency_ms") == Approx(7.45));
  CHECK(value(a11, 0, "layer_latency_ms") == Approx(7.55));
  CHECK(value(a11, 0, "dram_read_mib") == Approx(362.67));
  CHECK(value(a11, 0, "arithmetic_intensity") == Approx(83.46).epsilon(0.0001));
  CHECK(value(a11, 0, "throughput_tflops") == Approx(10.70).epsilon(0.0005));
  CHECK(value(a11, 0, "occupancy_pct") == Approx((0.45 * 40 + 7 * 18.1) / 7.45));
  CHECK(truth(a11, 0, "memory_bound") == 0);
  CHECK(value(a11, 1, "arithmetic_intensity") == Approx(202.78).epsilon(0.0001));
  CHECK(value(a11, 1, "throughput_tflops") == Approx(12.80).epsilon(0.001));
  CHECK(value(a11, 2, "gflops") == 0);
  CHECK(value(a11, 2, "arithmetic_intensity") == 0);
  CHECK(truth(a11, 2, "memory_bound") == 1);
  CHECK(words(a11, 0, "stage") == "beginning");
  CHECK(words(a11, 1, "stage") == "middle");
  CHECK(words(a11, 2, "stage") == "end");
  CHECK(words(a11, 3, "layer_name") == "(unattached)");
  CHECK(null(a11, 3, "stage"));
  const Table a12 = measured.table("A12");
  check_columns(a12, {"layer_index", "gflops", "dram_read_mib", "dram_write_mib"});
  REQUIRE(a12.rows.size() == 4);
  CHECK(value(a12, 0, "layer_index") == 0);
  CHECK(value(a12, 0, "gflops") == Approx(79.74));
  CHECK(value(a12, 0, "dram_read_mib") == Approx(362.67));
  CHECK(value(a12, 0, "dram_write_mib") == Approx(548.5));
  CHECK(words(a12, 2, "stage") == "end");
  CHECK(!a12.lacks_data);
  const Table a14 = measured.table("A14");
  check_columns(a14, {"layer_index", "layer_name", "latency_ms", "arithmetic_intensity", "throughput_tflops",
                      "data_type", "peak_tflops", "bandwidth_gbs", "bound", "pct_of_roof"});
  REQUIRE(a14.rows.size() == 4);
  CHECK(words(a14, 0, "layer_name") == "layer0");
  CHECK(value(a14, 0, "latency_ms") == Approx(7.45));
  CHECK(value(a14, 0, "arithmetic_intensity") == Approx(83.46).epsilon(0.0001));
  CHECK(words(a14, 0, "bound") == "compute");
  CHECK(value(a14, 0, "pct_of_roof") == Approx(100 * 79.74 / 7.45 / 15.7));
  CHECK(words(a14, 2, "bound") == "memory");
  // Without flops the roof is that of the memory: 200 MiB in 0.5 ms.
  CHECK(value(a14, 2, "pct_of_roof") == Approx(100 * 200 * kMib / 0.5e-3 / 900e9));
  CHECK(measured.table("A13").columns.back().name == "stage");
  CHECK(words(measured.table("A13"), 1, "stage") == "middle");
}

TEST_CASE("Table VI: the model is memory-bound at batch 16 and 32 only") {
  struct Batch {
    int size;
    double model_ms, kernel_ms, gflop, read, write, intensity;
  };
  const std::vector<Batch> batches = {
      {1, 6.21, 5.01, 7.94, 192.49, 194.16, 19.58},
      {2, 6.83, 5.93, 16.08, 290.41, 354.54, 23.78},
      {4, 8.51, 7.68, 30.95, 659.11, 720.15, 21.40},
      {8, 12.80, 11.60, 60.66, 1676.07, 1496.81, 18.23},
      {16, 21.90, 20.14, 118.04, 3969.19, 3024.09, 16.10},
      {32, 40.03, 37.14, 232.78, 7711.50, 5823.97, 16.40},
      {64, 74.03, 67.72, 429.08, 10932.22, 9268.27, 20.26},
      {128, 142.89, 131.79, 873.63, 16071.32, 16105.40, 25.89},
      {256, 275.05, 254.25, 1742.39, 23185.11, 31095.45, 30.61},
  };
  TraceBuilder builder;
  builder.add_process(10);
  add_device(builder, kV100);
  for (size_t i = 0; i < batches.size(); ++i) {
    const Batch& batch = batches[i];
    add_model(builder, static_cast<uint32_t>(1 + 10 * i), 1'000'000 * static_cast<int64_t>(i),
              std::llround(1000 * batch.model_ms), fmt::format("[{},224,224,3]", batch.size),
              {{fmt::format("k{}", i), std::llround(1000 * batch.kernel_ms)}});
  }
  const Measured measured(builder.bytes(), [&](const std::string& name, size_t) {
    const Batch& batch = batches[static_cast<size_t>(std::stoi(name.substr(1)))];
    return counted(batch.gflop, batch.read, batch.write);
  });
  const Table a15 = measured.table("A15");
  REQUIRE(a15.rows.size() == batches.size());
  for (size_t i = 0; i < batches.size(); ++i) {
    CAPTURE(batches[i].size);
    CHECK(value(a15, i, "batch_size") == batches[i].size);
    CHECK(value(a15, i, "arithmetic_intensity") == Approx(batches[i].intensity).epsilon(0.0005));
    const bool bound = batches[i].size == 16 || batches[i].size == 32;
    CHECK(truth(a15, i, "memory_bound") == (bound ? 1 : 0));
    CHECK(words(a15, i, "bound") == (bound ? "memory" : "compute"));
    CHECK(value(a15, i, "peak_tflops") == 15.7);
  }
  CHECK(has_note(a15, "roofs of Tesla V100"));
}

TEST_CASE("counts, latency, flops and bytes of A10, A11 and A15 agree, and a difference is a contradiction") {
  const std::vector<PaperKernel> kernels = {{"a", 10, 0}, {"b", 20, 0}, {"a", 30, 1}, {"c", 40}};
  Measured measured(paper_trace(1000, kernels, kV100), [](const std::string& name, size_t execution) {
    return name == "c" ? KernelMetrics() : counted(0.1 * static_cast<double>(1 + execution), 1.1, 2.3);
  });
  const auto sums = [&](const char* id) {
    const Table table = measured.table(id);
    std::vector<double> totals;
    for (const char* column : {"gflops", "dram_read_mib", "dram_write_mib"}) {
      double total = 0;
      for (size_t i = 0; i < table.rows.size(); ++i) {
        if (!null(table, i, column)) total += value(table, i, column);
      }
      totals.push_back(total);
    }
    CHECK(table.contradiction.empty());
    return totals;
  };
  const auto by_name = sums("A10");
  CHECK(by_name[1] == Approx(3.3));
  for (const char* id : {"A8", "A11", "A12", "A15"}) {
    const auto other = sums(id);
    for (size_t i = 0; i < other.size(); ++i) CHECK(other[i] == Approx(by_name[i]).epsilon(1e-9));
  }
  measured.study().kernels.flops *= 1.00001;
  CHECK(contains(measured.table("A10").contradiction, "Gflop"));
  measured.study().kernels.flops /= 1.00001;
  measured.study().kernels.dram_bytes += 1024;
  CHECK(contains(measured.table("A15").contradiction, "MiB"));
}

TEST_CASE("without metrics nothing is made up, and only the tables of metrics lack data") {
  const Measured measured(paper_trace(1000, {{"a", 10, 0}}, kV100), [](auto&&...) { return KernelMetrics(); });
  for (const char* id : {"A8", "A10", "A11", "A15"}) {
    const Table table = measured.table(id);
    CAPTURE(id);
    CHECK(!table.lacks_data);
    for (const char* column : {"gflops", "dram_read_mib", "dram_write_mib", "occupancy_pct", "arithmetic_intensity",
                               "throughput_tflops", "memory_bound", "algorithmic_gflops", "data_type"}) {
      CHECK(null(table, 0, column));
    }
    CHECK(words(table, 0, "source") == "none");
    CHECK(has_note(table, "neither counters nor arguments"));
  }
  for (const char* id : {"A9", "A12", "A14"}) {
    const Table table = measured.table(id);
    CHECK(table.lacks_data);
    CHECK(!table.rows.empty());
    CHECK(words(table, 0, "source") == "none");
  }
  CHECK(null(measured.table("A9"), 0, "pct_of_roof"));
}

TEST_CASE("without a device the roofs are null, and --gpu is named; --gpu gives them") {
  const std::string bytes = paper_trace(1000, {{"a", 10, 0}}, "");
  const auto metrics = [](auto&&...) { return counted(1, 1, 1); };
  const Measured without(bytes, metrics);
  const Table a9 = without.table("A9");
  CHECK(value(a9, 0, "arithmetic_intensity") == Approx(1e9 / 2 / kMib));
  for (const char* column : {"peak_tflops", "bandwidth_gbs", "bound", "pct_of_roof"}) CHECK(null(a9, 0, column));
  CHECK(has_note(a9, "--gpu NAME"));
  CHECK(a9.lacks_data);
  CHECK(null(without.table("A8"), 0, "memory_bound"));
  CHECK(!without.table("A8").lacks_data);
  StudyOptions options;
  options.peaks.gpu = "V100";
  const Measured with(bytes, metrics, options);
  CHECK(value(with.table("A9"), 0, "peak_tflops") == 15.7);
  CHECK(truth(with.table("A8"), 0, "memory_bound") == 0);
  CHECK(has_note(with.table("A14"), "roofs of Tesla V100-SXM2-16GB"));
  options.peaks.gpu.clear();
  options.peaks.flops_per_second = {{DataType::kF32, 1e12}};
  options.peaks.bytes_per_second = 1e15;
  const Table own = Measured(bytes, metrics, options).table("A9");
  CHECK(value(own, 0, "peak_tflops") == 1);
  CHECK(words(own, 0, "bound") == "compute");
  CHECK(has_note(own, "f32 1 TFLOPS (--peak-flops); memory 1e+06 GB/s (--mem-bw)"));
}

TEST_CASE("zero flops are memory-bound only where they are known to be zero") {
  const std::vector<PaperKernel> kernels = {{"zero", 10, 0}, {"unknown", 10, 1}, {"no_bytes", 10, 2}};
  const Measured measured(paper_trace(1000, kernels, kV100), [](const std::string& name, size_t) {
    if (name == "zero") return counted(0, 1, 1, kUnknown, DataType::kUnknown);
    if (name == "unknown") return counted(kUnknown, 1, 1);
    return counted(1, kUnknown, kUnknown);
  });
  const Table a8 = measured.table("A8");
  CHECK(value(a8, 0, "arithmetic_intensity") == 0);
  CHECK(value(a8, 0, "throughput_tflops") == 0);
  CHECK(truth(a8, 0, "memory_bound") == 1);
  CHECK(null(a8, 1, "gflops"));
  CHECK(value(a8, 1, "dram_read_mib") == Approx(1));
  CHECK(null(a8, 1, "arithmetic_intensity"));
  CHECK(truth(a8, 1, "memory_bound") == -1);
  CHECK(value(a8, 2, "throughput_tflops") > 0);
  CHECK(null(a8, 2, "dram_read_mib"));
  CHECK(truth(a8, 2, "memory_bound") == -1);
  // The roofs stand beside a point of which only the height is known.
  const Table a9 = measured.table("A9");
  CHECK(value(a9, 2, "peak_tflops") == 15.7);
  CHECK(value(a9, 2, "bandwidth_gbs") == 900);
  CHECK(null(a9, 2, "pct_of_roof"));
  CHECK(null(a9, 1, "data_type"));
  // An intensity never mixes the flops of one kernel with the bytes of another.
  const Table a15 = measured.table("A15");
  CHECK(value(a15, 0, "gflops") == Approx(1));
  CHECK(value(a15, 0, "dram_read_mib") == Approx(2));
  CHECK(value(a15, 0, "arithmetic_intensity") == 0);
  CHECK(has_note(a15, "of the 1 of 2 kernels whose flops and bytes are both known"));
}

TEST_CASE("every point has the roof of its data type") {
  const std::vector<PaperKernel> kernels = {{"tensor", 1000, 0}, {"plain", 1000, 1}, {"half", 1000, 2}};
  const Measured measured(paper_trace(9000, kernels, kV100), [](const std::string& name, size_t) {
    if (name == "tensor") return counted(100, 100, 100, kUnknown, DataType::kF16Tensor);
    return counted(10, 100, 100, kUnknown, name == "plain" ? DataType::kF32 : DataType::kBf16Tensor);
  });
  const Table a9 = measured.table("A9");
  CHECK(value(a9, 0, "peak_tflops") == 125);
  CHECK(words(a9, 0, "data_type") == "f16 tensor");
  CHECK(value(a9, 1, "peak_tflops") == 15.7);
  // A V100 has no matrix units for bf16: its peak is not known, nothing else takes its place.
  CHECK(words(a9, 2, "data_type") == "bf16 tensor");
  CHECK(null(a9, 2, "peak_tflops"));
  CHECK(null(a9, 2, "bound"));
  CHECK(has_note(a9, "bf16 tensor not known"));
}

TEST_CASE("mixed work has the roof that its flops need together; one type stands for 95 % and more") {
  const auto table = [](double f32_gflop) {
    const std::vector<PaperKernel> kernels = {{"tensor", 1000, 0}, {"plain", 1000, 0}};
    const Measured measured(paper_trace(9000, kernels, kV100), [&](const std::string& name, size_t) {
      return name == "tensor" ? counted(100 - f32_gflop, 10, 10, kUnknown, DataType::kF16Tensor)
                              : counted(f32_gflop, 10, 10);
    });
    return measured.table("A14");
  };
  const Table mixed = table(7);
  CHECK(words(mixed, 0, "data_type") == "mixed (f16 tensor 93 %)");
  const double ideal_s = 93e9 / 125e12 + 7e9 / 15.7e12;
  CHECK(value(mixed, 0, "peak_tflops") == Approx(100e9 / ideal_s / 1e12));
  CHECK(value(mixed, 0, "pct_of_roof") == Approx(100 * ideal_s / 2e-3));
  CHECK(words(mixed, 0, "bound") == "compute");
  const Table almost = table(5);
  CHECK(words(almost, 0, "data_type") == "f16 tensor");
  CHECK(value(almost, 0, "peak_tflops") == 125);
}

TEST_CASE("arguments: the operator's work stands at one kernel, the others are known to have none of their own") {
  const std::vector<PaperKernel> kernels = {{"transform", 100, 0}, {"winograd", 300, 0}, {"mystery", 100, 1}};
  const Measured measured(paper_trace(9000, kernels, kV100), [](const std::string& name, size_t) {
    KernelMetrics metrics;
    if (name == "mystery") return metrics;
    metrics.source = MetricSource::kAnalytic;
    metrics.flags = analysis::kAuxiliary;
    if (name == "transform") return metrics;
    metrics = counted(5, 10, 10);
    metrics.source = MetricSource::kAnalytic;
    metrics.algorithmic_flops = metrics.flops;
    metrics.flags = analysis::kWinograd | analysis::kL2Resident | analysis::kShared;
    return metrics;
  });
  const Table a8 = measured.table("A8");
  CHECK(words(a8, 0, "source") == "analytic");
  CHECK(words(a8, 0, "flags") == "auxiliary");
  CHECK(null(a8, 0, "gflops"));
  CHECK(words(a8, 1, "flags") == "winograd, L2-resident, shared");
  CHECK(value(a8, 1, "algorithmic_gflops") == Approx(5));
  CHECK(words(a8, 2, "source") == "none");
  const Table a11 = measured.table("A11");
  CHECK(value(a11, 0, "gflops") == Approx(5));
  CHECK(value(a11, 0, "metrics_pct") == Approx(100));
  CHECK(value(a11, 0, "throughput_tflops") == Approx(5e9 / 0.4e-3 / 1e12));
  CHECK(null(a11, 1, "metrics_pct"));
  const Table a15 = measured.table("A15");
  CHECK(value(a15, 0, "metrics_pct") == Approx(80));
  for (const Table& table : {a8, a15}) {
    CHECK(has_note(table, "work is known for 80.0 % of kernel time; the longest without: mystery (0.1 ms)"));
    CHECK(has_note(table, "bytes that must move at least once"));
    CHECK(has_note(table, "flags: winograd: executes fewer"));
  }
}

TEST_CASE("no throughput of a kernel that did a part of the work, but of the layer") {
  const std::vector<PaperKernel> kernels = {{"transform", 100, 0}, {"product", 300, 0}, {"other", 100, 0}};
  const Measured measured(paper_trace(9000, kernels, kV100), [](const std::string& name, size_t) {
    KernelMetrics metrics;
    metrics.source = MetricSource::kAnalytic;
    metrics.flags = analysis::kAuxiliary;
    metrics.part = uint64_t{0} - 7;
    if (name == "transform") return metrics;
    metrics = counted(6, 10, 10);
    metrics.source = MetricSource::kAnalytic;
    if (name == "other") return metrics;
    metrics.flags = analysis::kWinograd | analysis::kSplit;
    metrics.part = 7;
    return metrics;
  });
  for (const char* id : {"A8", "A9", "A10"}) {
    const Table table = measured.table(id);
    const auto row = static_cast<size_t>(std::find_if(table.rows.begin(), table.rows.end(),
                                                      [](const auto& cells) { return text(cells[0]) == "product"; }) -
                                         table.rows.begin());
    REQUIRE(row < table.rows.size());
    CHECK(null(table, row, "throughput_tflops"));
    CHECK_FALSE(null(table, row, "arithmetic_intensity"));
    CHECK(words(table, row, "flags") == "winograd, split");
    CHECK(has_note(table, "split: several kernels did the work"));
  }
  CHECK(null(measured.table("A9"), 1, "pct_of_roof"));
  CHECK(value(measured.table("A9"), 2, "throughput_tflops") == Approx(60));
  CHECK(value(measured.table("A11"), 0, "throughput_tflops") == Approx(12e9 / 0.5e-3 / 1e12));
  CHECK(words(measured.table("A14"), 0, "flags") == "winograd");
  CHECK_FALSE(null(measured.table("A14"), 0, "pct_of_roof"));
}

TEST_CASE("metrics are joined like latencies, over the evaluations in which they are known") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 4; ++i) add_model(builder, 1 + 100 * i, 10'000 * int64_t{i}, 5000, "[1]", {{"k", 10, 0}});
  StudyOptions options;
  options.skip = 0;
  const Measured measured(
      builder.bytes(),
      [](const std::string&, size_t execution) {
        KernelMetrics metrics = counted(static_cast<double>(execution), 1, 1);
        if (execution == 3) metrics.flops = kUnknown;
        if (execution == 0) metrics.dram_read_bytes = 5 * kMib;
        return metrics;
      },
      options);
  const Table a8 = measured.table("A8");
  REQUIRE(a8.rows.size() == 1);
  CHECK(value(a8, 0, "gflops") == Approx(1));         // median of 0, 1, 2
  CHECK(value(a8, 0, "dram_read_mib") == Approx(2));  // mean of four: floor(0.2 * 4) = 0 left out
  CHECK(measured.table("A15").contradiction.empty());
}

TEST_CASE("an operator's work is never counted twice where its principal kernel is another each time") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 2; ++i) {
    add_model(builder, 1 + 100 * i, 10'000 * int64_t{i}, 5000, "[1]", {{"a", 10, 0}, {"b", 11, 0}});
  }
  const Measured measured(builder.bytes(), [](const std::string&, size_t execution) {
    KernelMetrics metrics = counted(1, 1, 1);
    metrics.source = MetricSource::kAnalytic;
    const bool principal = execution == 0 || execution == 3;
    if (!principal) metrics.flops = metrics.dram_read_bytes = metrics.dram_write_bytes = kUnknown;
    metrics.flags = principal ? analysis::kShared : analysis::kAuxiliary;
    return metrics;
  });
  CHECK(value(measured.table("A15"), 0, "gflops") == Approx(1));
}

TEST_CASE("counters that met no kernel, or other ones, are told") {
  Measured measured(paper_trace(1000, {{"a", 10, 0}}, kV100), [](auto&&...) { return counted(1, 1, 1); });
  measured.study().counters = {.counted = 5, .joined = 3, .diverging = 2, .first_difference = 3};
  CHECK(has_note(measured.table("A8"), "2 of 5 counted kernels have another name"));
  measured.study().counters.joined = 0;
  CHECK(has_note(measured.table("A10"), "the counters of 5 kernels met none"));
}

TEST_CASE("the work of kernels on several devices has the roofs of each") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t index = 0; index < 2; ++index) {
    auto* device = builder.packet(1)->mutable_device();
    device->set_index(index);
    device->set_name(index == 0 ? kV100 : "NVIDIA A100-SXM4-40GB");
  }
  SpanSpec call{.begin = 1, .end = 2, .id = 1};
  call.level = LEVEL_RUNTIME;
  call.kind = KIND_RUNTIME_CALL;
  call.name = "cudaLaunchKernel";
  builder.add(call);
  ExecutionSpec first{.begin = 10'000, .end = 1'010'000, .name = "k", .launch = 1};
  ExecutionSpec second = first;
  second.device = 1;
  builder.add_executions({first, second});
  const Measured measured(builder.bytes(), [](auto&&...) { return counted(10, 1, 1); });
  const Table a9 = measured.table("A9");
  CHECK(value(a9, 0, "peak_tflops") == 15.7);
  CHECK(value(a9, 1, "peak_tflops") == 19.5);
  CHECK(value(a9, 1, "bandwidth_gbs") == 1555);
  const Table a14 = measured.table("A14");
  CHECK(value(a14, 0, "peak_tflops") == Approx(20 / (10 / 15.7 + 10 / 19.5)));
  CHECK(value(a14, 0, "bandwidth_gbs") == Approx(2 / (1 / 900.0 + 1 / 1555.0)));
}

}  // namespace
}  // namespace xsp::test
