#include <map>

#include "analysis/render/render.h"
#include "test/analysis/support/measured_study.h"

namespace xsp::test {
namespace {

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
  CHECK(has_note(a9, "FLOPs or bytes are known for 100 %"));
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
  CHECK(has_note(a11, "come from hardware counters"));
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
  CHECK(measured.table("A13").columns.back().name == "wait_ms");
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

}  // namespace
}  // namespace xsp::test
