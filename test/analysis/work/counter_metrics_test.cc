#include "analysis/work/counter_metrics.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "analysis/work/counter_formulas.h"
#include "analysis/work/metric_source.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::CounterFormulas;
using analysis::CounterJoin;
using analysis::DataType;
using analysis::KernelMetrics;
using analysis::MetricSource;

using Values = std::map<std::string, double>;

KernelMetrics evaluate(const Values& values, std::vector<std::string>* unused = nullptr) {
  std::vector<std::string_view> names;
  std::vector<double> numbers;
  for (const auto& [name, value] : values) {
    names.push_back(name);
    numbers.push_back(value);
  }
  const CounterFormulas formulas(names);
  if (unused != nullptr) *unused = formulas.unused();
  return formulas.evaluate(numbers.data());
}

std::string executed(const std::string& operation) {
  return "smsp__sass_thread_inst_executed_op_" + operation + "_pred_on.sum";
}

TEST_CASE("flops of CUPTI's metrics are instructions, a fused one twice") {
  const KernelMetrics single = evaluate({{executed("fadd"), 10}, {executed("fmul"), 20}, {executed("ffma"), 300}});
  CHECK(single.flops == 630);
  CHECK(single.type == DataType::kF32);
  CHECK(single.source == MetricSource::kCounters);
  CHECK(std::isnan(single.dram_read_bytes));
  const KernelMetrics pairs = evaluate({{executed("fadd"), 1},
                                        {executed("fmul"), 1},
                                        {executed("ffma"), 1},
                                        {executed("fadd2"), 1},
                                        {executed("fmul2"), 1},
                                        {executed("ffma2"), 1}});
  CHECK(pairs.flops == 1 + 1 + 2 + 2 + 2 + 4);
  const KernelMetrics halves = evaluate({{executed("hadd"), 1},
                                         {executed("hmul"), 1},
                                         {executed("hfma"), 1},
                                         {executed("dadd"), 1},
                                         {executed("dmul"), 1},
                                         {executed("dfma"), 1}});
  CHECK(halves.flops == 2 + 2 + 4 + 1 + 1 + 2);
  CHECK(halves.type == DataType::kF16);
  // Two of three kinds of instructions are not the flops.
  CHECK(std::isnan(evaluate({{executed("fadd"), 10}, {executed("fmul"), 20}, {"dram__bytes_read.sum", 5}}).flops));
}

TEST_CASE("flops of matrix units are counted once and give the type") {
  const Values plain = {{executed("fadd"), 0}, {executed("fmul"), 5}, {executed("ffma"), 0}};
  const auto with = [&](Values values) {
    values.insert(plain.begin(), plain.end());
    return evaluate(values);
  };
  const KernelMetrics all = with({{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", 100},
                                  {"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 1000},
                                  {"sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum", 1000},
                                  {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", 1000},
                                  {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 0}});
  CHECK(all.flops == 1105);
  CHECK(all.type == DataType::kF16Tensor);
  const KernelMetrics hopper = with(
      {{"sm__ops_path_tensor_op_hgmma_src_fp16.sum", 4096}, {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", 64}});
  CHECK(hopper.flops == 4165);
  CHECK(with({{"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 8}}).type == DataType::kTf32Tensor);
  CHECK(with({{"sm__ops_path_tensor_src_fp8.sum", 8}}).type == DataType::kF8Tensor);
  CHECK(with({{"sm__ops_path_tensor_src_fp4_dst_fp32.sum", 8}}).type == DataType::kF4Tensor);
  CHECK(with({{"sm__ops_path_tensor_src_int8.sum", 8}}).type == DataType::kI8Tensor);
  CHECK(with({{"sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum", 8}}).type == DataType::kF16Tensor);
}

TEST_CASE("flops are not known where matrix units worked on what was not counted") {
  Values values = {{executed("fadd"), 0},
                   {executed("fmul"), 5},
                   {executed("ffma"), 0},
                   {"sm__inst_executed_pipe_tensor.sum", 7},
                   {"dram__bytes_read.sum", 5}};
  CHECK(std::isnan(evaluate(values).flops));
  CHECK(evaluate(values).dram_read_bytes == 5);
  values["sm__ops_path_tensor_src_fp16_dst_fp32.sum"] = 70;
  CHECK(evaluate(values).flops == 75);
  values["sm__inst_executed_pipe_tensor.sum"] = 0;
  values["sm__ops_path_tensor_src_fp16_dst_fp32.sum"] = 0;
  CHECK(evaluate(values).flops == 5);
}

TEST_CASE("metrics of nvprof and of the paper's tags have the same meaning") {
  std::vector<std::string> unused;
  const KernelMetrics metrics = evaluate({{"flop_count_sp", 1000},
                                          {"flop_count_dp", 10},
                                          {"dram_read_transactions", 4},
                                          {"dram_write_bytes", 64},
                                          {"achieved_occupancy", 0.25},
                                          {"l2_utilization", 3}},
                                         &unused);
  CHECK(metrics.flops == 1010);
  CHECK(metrics.type == DataType::kF32);
  CHECK(metrics.dram_read_bytes == 128);
  CHECK(metrics.dram_write_bytes == 64);
  CHECK(metrics.occupancy_pct == 25);
  CHECK(unused == std::vector<std::string>{"l2_utilization"});
  CHECK(evaluate({{"achieved_occupancy", 13.2}}).occupancy_pct == 13.2);
  CHECK(evaluate({{"sm__warps_active.avg.pct_of_peak_sustained_active", 41}}).occupancy_pct == 41);
  CHECK(evaluate({{"dram__bytes_op_read.sum", 9}}).dram_read_bytes == 9);
  CHECK(evaluate({{"dram__sectors_write.sum", 2}}).dram_write_bytes == 64);
}

TEST_CASE("what was not counted stays unknown") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const KernelMetrics metrics = evaluate({{"flop_count_sp", none}, {"dram_read_bytes", none}, {"l2_utilization", 1}});
  CHECK(std::isnan(metrics.flops));
  CHECK(metrics.source == MetricSource::kNone);
  CHECK(std::isnan(evaluate({{"flop_count_sp", -1}}).flops));
  CHECK(std::isnan(evaluate({{"flop_count_sp", std::numeric_limits<double>::infinity()}}).flops));
  // No flops are flops: a kernel of comparisons.
  CHECK(evaluate({{"flop_count_sp", 0}}).flops == 0);
  CHECK(evaluate({{"flop_count_sp", 0}}).type == DataType::kUnknown);
}

/// Runs one behind the other: of each the names of its kernels, and counters for some.
class Runs {
 public:
  uint32_t add_run(const std::vector<std::string>& names, bool counted, const std::string& rank = "") {
    TraceBuilder builder;
    if (counted) builder.message().mutable_packet(0)->mutable_header()->set_counted(true);
    builder.add_process(10, rank);
    std::vector<ExecutionSpec> executions;
    int64_t time = 1'000'000;
    uint64_t correlation = 1;
    for (const std::string& name : names) {
      executions.push_back({.begin = time, .end = time + 10, .name = name, .correlation = correlation++});
      time += 20;
    }
    if (!executions.empty()) builder.add_executions(executions);
    builders_.push_back(std::move(builder));
    return static_cast<uint32_t>(builders_.size() - 1);
  }

  /// Counters of kernels in order: each has its ordinal as its flops.
  void count(uint32_t run, const std::vector<std::string>& names, const std::vector<uint64_t>& executions = {}) {
    TraceBuilder& builder = builders_[run];
    const uint32_t metric = builder.string_id(1, "flop_count_sp");
    std::vector<uint32_t> ids;
    for (const std::string& name : names) ids.push_back(builder.string_id(1, name));
    CounterBatch* batch = builder.packet(1)->mutable_counters();
    batch->add_metric(metric);
    batch->set_count(static_cast<uint32_t>(names.size()));
    int64_t last = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      batch->add_name(ids[i]);
      batch->add_ordinal(i == 0 ? 0 : 1);
      batch->add_value(static_cast<double>(100 + i));
      if (executions.empty()) continue;
      const int64_t difference = static_cast<int64_t>(executions[i]) - last;
      batch->add_execution(static_cast<uint64_t>(difference >= 0 ? 2 * difference : -2 * difference - 1));
      last = static_cast<int64_t>(executions[i]);
    }
  }

  /// Flops of all executions; -1: none.
  std::vector<double> flops() {
    std::string bytes;
    for (TraceBuilder& builder : builders_) bytes += builder.bytes();
    analysed_.emplace(std::vector<std::string>{bytes});
    REQUIRE(analysed_->trace.files[0].corrupt_packets == 0);
    std::vector<double> result;
    for (const KernelMetrics& metrics : analysis::counter_metrics(analysed_->trace, &join)) {
      result.push_back(std::isnan(metrics.flops) ? -1 : metrics.flops);
    }
    return result;
  }

  analysis::Metrics metrics() {
    flops();
    return analysis::make_metrics(analysed_->trace, analysed_->parents, analysed_->executions, &join);
  }

  CounterJoin join;

 private:
  std::vector<TraceBuilder> builders_;
  std::optional<Analysed> analysed_;
};

TEST_CASE("counters of an imported profile belong to the execution with their number") {
  Runs runs;
  runs.count(runs.add_run({"a", "b", "c"}, false), {"c", "a"}, {3, 1});
  CHECK(runs.flops() == std::vector<double>{101, -1, 100});
  CHECK(runs.join.counted == 2);
  CHECK(runs.join.joined == 2);
  CHECK(runs.join.diverging == 0);
}

TEST_CASE("counters of a counted run belong to the kernels of the run that was not counted") {
  Runs runs;
  runs.add_run({"a", "b", "a"}, false);
  runs.add_run({"a", "b", "a"}, false);
  runs.count(runs.add_run({}, true), {"a", "b", "a"});
  CHECK(runs.flops() == std::vector<double>{100, 101, 102, 100, 101, 102});
  CHECK(runs.join.joined == 6);
  CHECK(runs.metrics().source == MetricSource::kCounters);
}

TEST_CASE("ranks are counted apart") {
  Runs runs;
  runs.add_run({"a"}, false, "0");
  runs.add_run({"a"}, false, "1");
  runs.count(runs.add_run({}, true, "1"), {"a"});
  CHECK(runs.flops() == std::vector<double>{-1, 100});
}

TEST_CASE("behind a divergence only what names still tell is joined") {
  Runs runs;
  runs.add_run({"a", "x", "b", "c", "b"}, false);
  runs.count(runs.add_run({}, true), {"a", "b", "c", "b", "y"});
  CHECK(runs.flops() == std::vector<double>{100, -1, 101, 102, 103});
  CHECK(runs.join.first_difference == 1);
  CHECK(runs.join.diverging == 4);
  CHECK(runs.join.joined == 4);
}

TEST_CASE("names that another run has more of are not joined behind a divergence") {
  Runs runs;
  runs.add_run({"a", "b", "b", "c"}, false);
  runs.count(runs.add_run({}, true), {"a", "c", "b"});
  CHECK(runs.flops() == std::vector<double>{100, -1, -1, 101});
}

TEST_CASE("counters that meet no execution leave the metrics to arguments, or to none") {
  Runs runs;
  runs.count(runs.add_run({"a"}, false), {"b"});
  const analysis::Metrics metrics = runs.metrics();
  CHECK(metrics.source == MetricSource::kNone);
  CHECK(metrics.of.empty());
  CHECK(runs.join.counted == 1);
  CHECK(runs.join.joined == 0);
}

}  // namespace
}  // namespace xsp::test
