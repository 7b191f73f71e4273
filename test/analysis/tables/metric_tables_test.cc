#include "test/analysis/support/measured_study.h"

namespace xsp::test {
namespace {

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
    CHECK(has_note(table, "FLOPs and bytes are unknown"));
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
  CHECK(has_note(a15, "cover the 1 of 2 kernels whose flops and bytes are both known"));
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
    CHECK(has_note(table, "FLOPs or bytes are known for 80.0 % of kernel time; the longest without: mystery (0.1 ms)"));
    CHECK(has_note(table, "bytes count each value once"));
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
  CHECK(words(measured.table("A14"), 0, "flags") == "winograd, above-roof");
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
  CHECK(has_note(measured.table("A10"), "the counters of 5 kernels match no"));
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
