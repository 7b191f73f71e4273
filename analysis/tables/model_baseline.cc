#include "analysis/tables/model_baseline.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/tables/models.h"
#include "base/shell_words.h"
#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

constexpr std::array kCompared = {
    &kM1.online_latency_ms,     &kM1.max_throughput_per_s,   &kM1.model_latency_ms,
    &kM1.kernel_latency_ms,     &kM1.gpu_latency_pct,        &kM1.metrics.gflops,
    &kM1.metrics.dram_read_mib, &kM1.metrics.dram_write_mib, &kM1.metrics.throughput_tflops};

bool is_of_rank(const ModelSweep& sweep, const std::string& wanted) {
  return !sweep.rank.empty() && wanted == std::string("rank").append(sweep.rank);
}

bool is_at_point(const ModelSweep& sweep, const std::string& wanted) {
  return !sweep.point.empty() && wanted == sweep.point;
}

/// The best row of those that `fits`: that which shares most with `row`.
template <typename Fits>
size_t closest(const std::vector<ModelSweep>& sweeps, const ModelSweep& row, Fits&& fits) {
  size_t best = SIZE_MAX;
  int most = -1;
  for (size_t i = 0; i < sweeps.size(); ++i) {
    const ModelSweep& other = sweeps[i];
    if (!fits(other)) continue;
    const int shared = 16 * (other.mode == row.mode) + 8 * (other.system == row.system) +
                       4 * (other.point == row.point) + 2 * (other.source == row.source) + (other.rank == row.rank);
    if (shared > most) {
      most = shared;
      best = i;
    }
  }
  return best;
}

std::optional<double> number(const Cell& cell) {
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* value = std::get_if<int64_t>(&cell)) return static_cast<double>(*value);
  return {};
}

}  // namespace

std::vector<size_t> baseline_rows(const std::string& baseline, const std::vector<ModelSweep>& sweeps) {
  const auto is_named = [&](const ModelSweep& sweep) { return sweep.name == baseline; };
  const bool is_model = std::any_of(sweeps.begin(), sweeps.end(), is_named);
  std::vector<size_t> rows;
  for (const ModelSweep& row : sweeps) {
    rows.push_back(closest(sweeps, row, [&](const ModelSweep& other) {
      if (is_model) return is_named(other);
      if (other.name != row.name || other.input != row.input) return false;
      return other.system == baseline || other.source == baseline || is_of_rank(other, baseline) ||
             is_at_point(other, baseline);
    }));
  }
  return rows;
}

Status check_baseline(const std::string& baseline, const std::vector<ModelSweep>& sweeps) {
  if (baseline.empty()) return {};
  const auto rows = baseline_rows(baseline, sweeps);
  if (std::any_of(rows.begin(), rows.end(), [](size_t row) { return row != SIZE_MAX; })) return {};
  std::set<std::string> known;
  for (const ModelSweep& sweep : sweeps) {
    known.insert({sweep.name, sweep.source});
    if (!sweep.system.empty()) known.insert(sweep.system);
    if (!sweep.point.empty()) known.insert(sweep.point);
    if (!sweep.rank.empty()) known.insert(std::string("rank").append(sweep.rank));
  }
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  const std::string nearest = nearest_word(baseline, std::vector<std::string>(known.begin(), known.end()));
  return {"M1 has no row for " + baseline + " (there are: " + (list.empty() ? "none" : list) + ")",
          nearest.empty() ? "--baseline takes one of these"
                          : "did you mean " + shell_command({"--baseline", nearest}) + "?"};
}

void append_baseline(const std::string& baseline, const std::vector<ModelSweep>& sweeps, Table* table) {
  const std::vector<size_t> of_row = baseline_rows(baseline, sweeps);
  for (const ColumnDefinition* column : kCompared) {
    const size_t place = append_column({std::string(column->name) + "_x", ""}, table);
    for (size_t row = 0; row < table->rows.size(); ++row) {
      const auto value = number(table->at(row, *column));
      const auto base = of_row[row] == SIZE_MAX ? std::nullopt : number(table->at(of_row[row], *column));
      if (value && base && *base > 0) table->rows[row][place] = cell(*value / *base);
    }
  }
  table->notes.push_back("columns that end in _x are multiples of the baseline, " + baseline);
}

}  // namespace xsp::analysis
