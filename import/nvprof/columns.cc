#include "import/nvprof/columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/number_text.h"

namespace xsp::nvprof {
namespace {

constexpr std::pair<std::string_view, Field> kColumns[] = {
    {"Start", Field::kStart},
    {"Duration", Field::kDuration},
    {"Grid X", Field::kGridX},
    {"Grid Y", Field::kGridY},
    {"Grid Z", Field::kGridZ},
    {"Block X", Field::kBlockX},
    {"Block Y", Field::kBlockY},
    {"Block Z", Field::kBlockZ},
    {"Registers Per Thread", Field::kRegisters},
    {"Static SMem", Field::kStaticShared},
    {"Dynamic SMem", Field::kDynamicShared},
    {"Size", Field::kSize},
    {"Throughput", Field::kIgnored},
    {"SrcMemType", Field::kIgnored},
    {"DstMemType", Field::kIgnored},
    {"Device", Field::kDevice},
    {"Context", Field::kContext},
    {"Stream", Field::kStream},
    {"Src Dev", Field::kIgnored},
    {"Src Ctx", Field::kIgnored},
    {"Dst Dev", Field::kIgnored},
    {"Dst Ctx", Field::kIgnored},
    {"Unified Memory", Field::kIgnored},
    {"Virtual Address", Field::kIgnored},
    {"Name", Field::kName},
    {"Kernel", Field::kName},  // of the tables with counters only
    {"Correlation_ID", Field::kCorrelation},
};

/// Headings that older CUDA versions give to metrics, and the metrics' names.
constexpr std::pair<std::string_view, std::string_view> kDescribedMetrics[] = {
    {"Floating Point Operations(Single Precision)", "flop_count_sp"},
    {"Floating Point Operations(Double Precision)", "flop_count_dp"},
    {"Floating Point Operations(Half Precision)", "flop_count_hp"},
    {"Device Memory Read Transactions", "dram_read_transactions"},
    {"Device Memory Write Transactions", "dram_write_transactions"},
    {"Achieved Occupancy", "achieved_occupancy"},
};

constexpr std::pair<std::string_view, double> kTimeUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
/// nvprof counts memory in powers of 1024, throughput in powers of 1000.
constexpr std::pair<std::string_view, double> kSizeUnits[] = {
    {"B", 1}, {"KB", 1024}, {"MB", 1024.0 * 1024}, {"GB", 1024.0 * 1024 * 1024}, {"TB", 1024.0 * 1024 * 1024 * 1024}};
constexpr std::pair<std::string_view, double> kMetricUnits[] = {
    {"", 1}, {"%", 1}, {"B/s", 1}, {"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};

template <size_t kCount>
std::optional<double> factor_in(const std::pair<std::string_view, double> (&units)[kCount], std::string_view unit) {
  const auto* const known =
      std::find_if(std::begin(units), std::end(units), [&](const auto& entry) { return entry.first == unit; });
  if (known == std::end(units)) return std::nullopt;
  return known->second;
}

/// The number at the beginning of a text, and what follows it.
std::optional<double> leading_number(std::string_view text, std::string_view* rest) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  *rest = text.substr(static_cast<size_t>(end - text.data()));
  return number;
}

bool is(const std::vector<std::string>& header, size_t at, std::string_view name) {
  return at < header.size() && header[at] == name;
}

}  // namespace

Status Columns::from_header(const std::vector<std::string>& header, Columns* columns) {
  const bool is_summary = is(header, 0, "Time(%)") || is(header, 1, "Time(%)") || is(header, 2, "Invocations");
  if (is_summary) {
    return Status{"is a summary, without single kernels (nvprof --print-gpu-trace --csv tells them)"};
  }
  *columns = Columns();
  columns->count_ = header.size();
  std::fill(std::begin(columns->at_), std::end(columns->at_), kNone);
  std::fill(std::begin(columns->factor_), std::end(columns->factor_), 1.0);
  for (size_t i = 0; i < header.size(); ++i) {
    const auto* const known = std::find_if(std::begin(kColumns), std::end(kColumns),
                                           [&](const auto& entry) { return entry.first == header[i]; });
    if (known != std::end(kColumns)) {
      columns->at_[static_cast<size_t>(known->second)] = i;
      continue;
    }
    if (header[i].empty()) continue;
    const auto* const described = std::find_if(std::begin(kDescribedMetrics), std::end(kDescribedMetrics),
                                               [&](const auto& entry) { return entry.first == header[i]; });
    const bool is_described = described != std::end(kDescribedMetrics);
    columns->metrics_.push_back({i, is_described ? std::string(described->second) : header[i]});
  }
  if (!columns->has(Field::kName)) return Status{"has no column Name"};
  if (!columns->has_times() && (columns->metrics_.empty() || !columns->has(Field::kDevice))) {
    return Status{columns->has(Field::kStart) ? "has no column Duration" : "has no column Start"};
  }
  return Status();
}

bool Columns::is_units(const std::vector<std::string>& row) const {
  if (row.size() != count_ || !text(row, Field::kName).empty()) return false;
  std::string_view rest;
  return !has_times() || !leading_number(text(row, Field::kDuration), &rest);
}

Status Columns::set_units(const std::vector<std::string>& row) {
  const auto set = [&](Field field, const auto& units) {
    const std::string_view unit = text(row, field);
    if (!has(field) || (unit.empty() && field != Field::kStart && field != Field::kDuration)) return Status();
    const std::optional<double> factor = factor_in(units, unit);
    if (!factor) {
      return Status{"unit \"" + std::string(unit) + "\" of column " +
                    std::string(std::find_if(std::begin(kColumns), std::end(kColumns),
                                             [&](const auto& entry) { return entry.second == field; })
                                    ->first) +
                    " is not known"};
    }
    factor_[static_cast<size_t>(field)] = *factor;
    return Status();
  };
  for (const Field field : {Field::kStart, Field::kDuration}) {
    if (Status status = set(field, kTimeUnits); !status.ok()) return status;
  }
  for (const Field field : {Field::kStaticShared, Field::kDynamicShared, Field::kSize}) {
    if (Status status = set(field, kSizeUnits); !status.ok()) return status;
  }
  for (Metric& metric : metrics_) metric.factor = factor_in(kMetricUnits, row[metric.column]).value_or(1);
  const double coarsest =
      std::max(factor_[static_cast<size_t>(Field::kStart)], factor_[static_cast<size_t>(Field::kDuration)]);
  resolution_ns_ = std::max<int64_t>(1, static_cast<int64_t>(coarsest / 1e6));
  return Status();
}

std::string_view Columns::text(const std::vector<std::string>& row, Field field) const {
  const size_t column = at_[static_cast<size_t>(field)];
  return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

std::optional<uint32_t> Columns::number(const std::vector<std::string>& row, Field field) const {
  return number_in<uint32_t>(text(row, field));
}

std::optional<double> Columns::quantity(const std::vector<std::string>& row, Field field) const {
  std::string_view rest;
  const std::optional<double> number = leading_number(text(row, field), &rest);
  if (!number || !rest.empty()) return std::nullopt;
  return *number * factor_[static_cast<size_t>(field)];
}

std::optional<double> Columns::value(const std::vector<std::string>& row, const Metric& metric) {
  const std::string_view whole = row[metric.column];
  std::string_view rest;
  // "Low (2)": a level on a scale of ten.
  const size_t level = whole.find(" (");
  if (level != std::string_view::npos && whole.ends_with(')')) {
    const std::optional<double> number = leading_number(whole.substr(level + 2), &rest);
    return rest == ")" ? number : std::nullopt;
  }
  const std::optional<double> number = leading_number(whole, &rest);
  const std::optional<double> factor = factor_in(kMetricUnits, rest);
  if (!number || !factor) return std::nullopt;
  return *number * *factor * metric.factor;
}

}  // namespace xsp::nvprof
