#pragma once

/// Studies whose executions have given metrics, and traces like those of the XSP paper.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/tables/registry.h"
#include "analysis/trace/byte_source.h"
#include "analysis/trace/loader.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {

using analysis::DataType;
using analysis::is_null;
using analysis::KernelMetrics;
using analysis::Metrics;
using analysis::MetricSource;
using analysis::StudyOptions;
using analysis::Table;

inline constexpr double kMib = 1024.0 * 1024.0;
inline constexpr double kGiga = 1e9;
inline constexpr double kUnknown = KernelMetrics::kUnknown;

/// A trace whose executions have given metrics.
class Measured {
 public:
  using MetricsOf = std::function<KernelMetrics(const std::string& name, size_t execution)>;

  Measured(const std::string& bytes, const MetricsOf& metrics_of, const StudyOptions& options = {}) {
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
    std::vector<const analysis::TableDefinition*> chosen;
    REQUIRE(analysis::choose_analyses({id}, &chosen).ok());
    Table table = chosen.front()->compute(*study_);
    for (const auto& row : table.rows) REQUIRE(row.size() == table.columns.size());
    return table;
  }
  /// For modification; what the tables cached of it is dropped.
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

inline analysis::Cell cell_of(const Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return table.rows.at(row).at(i);
  }
  FAIL("no column " << column);
  return {};
}

inline double value(const Table& table, size_t row, const std::string& column) {
  return number(cell_of(table, row, column));
}
inline std::string words(const Table& table, size_t row, const std::string& column) {
  return text(cell_of(table, row, column));
}
inline bool null(const Table& table, size_t row, const std::string& column) {
  return is_null(cell_of(table, row, column));
}

/// 1: true, 0: false, -1: null.
inline int truth(const Table& table, size_t row, const std::string& column) {
  const auto cell = cell_of(table, row, column);
  const auto* found = std::get_if<bool>(&cell);
  return found == nullptr ? -1 : *found ? 1 : 0;
}

inline void check_columns(const Table& table, const std::vector<std::string>& names) {
  REQUIRE(table.columns.size() >= names.size());
  for (size_t i = 0; i < names.size(); ++i) CHECK(table.columns[i].name == names[i]);
  std::set<std::string> all;
  for (const auto& column : table.columns) CHECK(all.insert(column.name).second);
}

inline KernelMetrics counted(double gflop, double read_mib, double write_mib, double occupancy = kUnknown,
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
  int layer = -1;  // ordinal; kernels of a layer follow one another
};

/// One call of `model_us` on a V100; each layer takes as long as its kernels plus 100 µs.
inline void add_model(TraceBuilder& builder, uint32_t root, int64_t at_us, int64_t model_us, const std::string& input,
                      const std::vector<PaperKernel>& kernels) {
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

inline void add_device(TraceBuilder& builder, const std::string& name) {
  builder.packet(1)->mutable_device()->set_name(name);
}

/// Two calls of one model on a V100.
inline std::string paper_trace(int64_t model_us, const std::vector<PaperKernel>& kernels, const std::string& device) {
  TraceBuilder builder;
  builder.add_process(10);
  if (!device.empty()) add_device(builder, device);
  for (uint32_t i = 0; i < 2; ++i) {
    add_model(builder, 1 + 1000 * i, 1'000'000 * int64_t{i}, model_us, "[256,224,224,3]", kernels);
  }
  return builder.bytes();
}

inline const std::string kV100 = "Tesla V100-SXM2-16GB";

}  // namespace xsp::test
