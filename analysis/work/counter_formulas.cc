#include "analysis/work/counter_formulas.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace xsp::analysis {
namespace {

constexpr size_t kNoMetric = SIZE_MAX;

size_t index_of(const std::vector<std::string_view>& metrics, std::string_view name) {
  const auto found = std::find(metrics.begin(), metrics.end(), name);
  return found == metrics.end() ? kNoMetric : static_cast<size_t>(found - metrics.begin());
}

/// Instructions that threads executed, of one precision.
struct Instructions {
  DataType type;
  std::string_view letter;
  double add;  // flops each
  double fused;
  std::string_view total;  // nvprof's name of the sum
};

/// Instructions on halves work on two of them (HADD2, HMUL2, HFMA2): ncu's derived metrics count 2, 2 and 4 flops. A
/// scalar half in such an instruction counts as two, so these flops are an upper bound.
constexpr Instructions kInstructions[] = {
    {DataType::kF32, "f", 1, 2, "flop_count_sp"},
    {DataType::kF64, "d", 1, 2, "flop_count_dp"},
    {DataType::kF16, "h", 2, 4, "flop_count_hp"},
};

/// GB100 and its relatives have instructions on two floats.
constexpr double kPairAdd = 2;
constexpr double kPairFused = 4;

std::string instruction(std::string_view prefix, std::string_view letter, std::string_view operation) {
  return std::string(prefix) + "__sass_thread_inst_executed_op_" + std::string(letter) + std::string(operation) +
         "_pred_on.sum";
}

/// A metric of matrix units: what it is fed with, and how much of that the name covers.
struct TensorMetric {
  std::string_view source;  // "fp16", "fp4_fp6"
  int part = 0;             // 0: all, 1: of one result type, 2: of one instruction, 3: with or without sparsity
};

std::optional<TensorMetric> tensor_metric(std::string_view name) {
  constexpr std::string_view kPrefix = "sm__ops_path_tensor_";
  constexpr std::string_view kSuffix = ".sum";
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return {};
  name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  TensorMetric metric;
  const size_t source = name.find("src_");
  if (source == std::string_view::npos) return {};
  if (source != 0) metric.part = 2;
  name.remove_prefix(source + 4);
  if (const size_t sparsity = name.find("_sparsity"); sparsity != std::string_view::npos) {
    metric.part = 3;
    name = name.substr(0, sparsity);
  }
  if (const size_t result = name.find("_dst_"); result != std::string_view::npos) {
    metric.part = std::max(metric.part, 1);
    name = name.substr(0, result);
  }
  if (name.ends_with("_realtime")) return {};
  metric.source = name;
  return metric;
}

DataType tensor_type(std::string_view source) {
  if (source.starts_with("fp16")) return DataType::kF16Tensor;  // also those that count halves and TF32 as one
  if (source == "bf16") return DataType::kBf16Tensor;
  if (source == "tf32") return DataType::kTf32Tensor;
  if (source == "fp64") return DataType::kF64Tensor;
  if (source == "int8") return DataType::kI8Tensor;
  if (source.find("fp8") != std::string_view::npos) return DataType::kF8Tensor;
  return source.starts_with("fp4") ? DataType::kF4Tensor : DataType::kUnknown;
}

}  // namespace

double CounterFormulas::Sum::of(const double* values) const {
  if (terms.empty()) return KernelMetrics::kUnknown;
  double sum = 0;
  for (const Term& term : terms) sum += term.factor * values[term.metric];
  return sum >= 0 && std::isfinite(sum) ? sum : KernelMetrics::kUnknown;
}

CounterFormulas::CounterFormulas(const std::vector<std::string_view>& metrics) {
  std::vector<bool> used(metrics.size());
  find_arithmetic(metrics, &used);
  find_tensor(metrics, &used);
  find_memory(metrics, &used);
  for (size_t i = 0; i < metrics.size(); ++i) {
    if (!used[i]) unused_.emplace_back(metrics[i]);
  }
}

void CounterFormulas::add_flops(DataType type, std::vector<Term> terms) { flops_.push_back({type, std::move(terms)}); }

void CounterFormulas::find_arithmetic(const std::vector<std::string_view>& metrics, std::vector<bool>* used) {
  for (const Instructions& kind : kInstructions) {
    std::vector<Term> terms;
    for (const std::string_view prefix : {"smsp", "sm"}) {
      const size_t add = index_of(metrics, instruction(prefix, kind.letter, "add"));
      const size_t multiply = index_of(metrics, instruction(prefix, kind.letter, "mul"));
      const size_t fused = index_of(metrics, instruction(prefix, kind.letter, "fma"));
      // Two of the three would give fewer flops than there are.
      if (!terms.empty() || add == kNoMetric || multiply == kNoMetric || fused == kNoMetric) continue;
      terms = {{add, kind.add}, {multiply, kind.add}, {fused, kind.fused}};
      if (kind.type != DataType::kF32) continue;
      for (const auto& [operation, flops] :
           {std::pair("add2", kPairAdd), std::pair("mul2", kPairAdd), std::pair("fma2", kPairFused)}) {
        const size_t pair = index_of(metrics, instruction(prefix, kind.letter, operation));
        if (pair != kNoMetric) terms.push_back({pair, flops});
      }
    }
    const size_t total = index_of(metrics, kind.total);
    if (terms.empty() && total != kNoMetric) terms = {{total, 1}};
    for (const Term& term : terms) (*used)[term.metric] = true;
    if (!terms.empty()) add_flops(kind.type, std::move(terms));
  }
}

void CounterFormulas::find_tensor(const std::vector<std::string_view>& metrics, std::vector<bool>* used) {
  std::map<std::string_view, int> least_part;  // by what they are fed with
  for (const std::string_view name : metrics) {
    const auto metric = tensor_metric(name);
    if (!metric) continue;
    const auto [place, is_new] = least_part.try_emplace(metric->source, metric->part);
    place->second = std::min(place->second, metric->part);
  }
  std::map<DataType, std::vector<Term>> sums;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto metric = tensor_metric(metrics[i]);
    if (!metric) continue;
    (*used)[i] = true;
    // The others count part of the same operations again.
    if (metric->part == least_part[metric->source]) sums[tensor_type(metric->source)].push_back({i, 1});
  }
  for (auto& [type, terms] : sums) add_flops(type, std::move(terms));
  const size_t pipe = index_of(metrics, "sm__inst_executed_pipe_tensor.sum");
  if (pipe == kNoMetric) return;
  (*used)[pipe] = true;
  tensor_pipe_.terms = {{pipe, 1}};
}

void CounterFormulas::find_memory(const std::vector<std::string_view>& metrics, std::vector<bool>* used) {
  struct Metric {
    std::string_view name;
    double factor;
  };
  constexpr double kSector = 32;
  static constexpr Metric kRead[] = {
      {"dram__bytes_read.sum", 1},         {"dram__bytes_op_read.sum", 1},         {"dram_read_bytes", 1},
      {"dram__sectors_read.sum", kSector}, {"dram__sectors_op_read.sum", kSector}, {"dram_read_transactions", kSector}};
  static constexpr Metric kWritten[] = {{"dram__bytes_write.sum", 1},
                                        {"dram__bytes_op_write.sum", 1},
                                        {"dram_write_bytes", 1},
                                        {"dram__sectors_write.sum", kSector},
                                        {"dram__sectors_op_write.sum", kSector},
                                        {"dram_write_transactions", kSector}};
  static constexpr Metric kOccupancy[] = {{"sm__warps_active.avg.pct_of_peak_sustained_active", 1},
                                          {"achieved_occupancy", 100}};
  const auto take = [&](const auto& names, Sum* sum) {
    for (const Metric& metric : names) {
      const size_t at = index_of(metrics, metric.name);
      if (at == kNoMetric) continue;
      (*used)[at] = true;
      if (sum->terms.empty()) sum->terms = {{at, metric.factor}};
    }
  };
  take(kRead, &read_);
  take(kWritten, &written_);
  take(kOccupancy, &occupancy_);
}

KernelMetrics CounterFormulas::evaluate(const double* values) const {
  KernelMetrics metrics;
  double most = 0;
  double tensor = 0;
  for (const Sum& sum : flops_) {
    const double flops = sum.of(values);
    if (std::isnan(flops)) continue;
    metrics.flops = std::isnan(metrics.flops) ? flops : metrics.flops + flops;
    if (sum.type >= DataType::kF64Tensor || sum.type == DataType::kUnknown) tensor += flops;
    if (flops <= most) continue;
    most = flops;
    metrics.type = sum.type;
  }
  // Matrix units did uncounted work: the flops that were counted are not those of the kernel.
  if (tensor_pipe_.of(values) > 0 && tensor == 0) {
    metrics.flops = KernelMetrics::kUnknown;
    metrics.type = DataType::kUnknown;
  }
  metrics.dram_read_bytes = read_.of(values);
  metrics.dram_write_bytes = written_.of(values);
  metrics.occupancy_pct = occupancy_.of(values);
  // nvprof's is a fraction; a tool that gives per cent under its name is taken at its word.
  if (!occupancy_.terms.empty() && occupancy_.terms[0].factor == 100 && metrics.occupancy_pct > 100) {
    metrics.occupancy_pct /= 100;
  }
  const bool any = !std::isnan(metrics.flops) || !std::isnan(metrics.dram_read_bytes) ||
                   !std::isnan(metrics.dram_write_bytes) || !std::isnan(metrics.occupancy_pct);
  if (any) metrics.source = MetricSource::kCounters;
  return metrics;
}

}  // namespace xsp::analysis
