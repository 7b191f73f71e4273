#include "inject/bench/measured_models.h"

#include <nlohmann/json.hpp>

#include "inject/bench/decimal.h"
#include "proto/report_columns.h"

namespace xsp::bench {
namespace {

using Json = nlohmann::json;
namespace models = report_columns::models;
namespace gpu_latency = report_columns::gpu_latency;

/// A table of a report: null where it has none of this name.
const Json* table_of(const Json& report, const char* name) {
  if (!report.is_object()) return nullptr;
  const auto table = report.find(name);
  if (table == report.end() || !table->is_object()) return nullptr;
  if (!table->contains(report_columns::kColumns) || !(*table)[report_columns::kColumns].is_array()) return nullptr;
  if (!table->contains(report_columns::kRows) || !(*table)[report_columns::kRows].is_array()) return nullptr;
  return &*table;
}

std::optional<size_t> column_of(const Json& table, const std::string& name) {
  const Json& columns = table[report_columns::kColumns];
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_object() && columns[i].value(report_columns::kName, "") == name) return i;
  }
  return std::nullopt;
}

/// The column of a parameter, whose name gets a prefix where the table has a column by that name itself.
std::optional<size_t> parameter_column(const Json& table, const std::string& name) {
  const auto distinguished = column_of(table, models::kParameterPrefix + name);
  return distinguished ? distinguished : column_of(table, name);
}

/// 8, 8.0 and "8" are the same value.
bool is_value(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto number = parse_decimal(one);
  return number && number == parse_decimal(other);
}

const Json& cell(const Json& row, std::optional<size_t> column) {
  static const Json kNull;
  return column && row.is_array() && *column < row.size() ? row[*column] : kNull;
}

std::string text_in(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string() : value.dump();
}

double number_in(const Json& value) { return value.is_number() ? value.get<double>() : 0; }

}  // namespace

std::optional<std::vector<MeasuredModel>> read_models(const std::string& json, const std::string& parameter) {
  const Json report = Json::parse(json, nullptr, false);
  const Json* table = table_of(report, models::kTable);
  if (table == nullptr) return std::nullopt;
  const auto value = parameter_column(*table, parameter);
  if (!value) return std::nullopt;
  const auto model = column_of(*table, models::kModel);
  const auto latency = column_of(*table, models::kLatencyMs);
  const auto throughput = column_of(*table, models::kThroughput);
  const auto evaluations = column_of(*table, models::kEvaluations);
  std::vector<MeasuredModel> models;
  for (const Json& row : (*table)[report_columns::kRows]) {
    MeasuredModel measured = {text_in(cell(row, value)), text_in(cell(row, model)), number_in(cell(row, latency)),
                              std::nullopt, number_in(cell(row, evaluations))};
    if (cell(row, throughput).is_number()) measured.throughput_per_s = number_in(cell(row, throughput));
    models.push_back(std::move(measured));
  }
  return models;
}

const MeasuredModel* chosen_model(const std::vector<MeasuredModel>& models, const std::string& value,
                                  const std::string& name) {
  const MeasuredModel* chosen = nullptr;
  for (const MeasuredModel& model : models) {
    if (!is_value(model.value, value) || (!name.empty() && model.model != name)) continue;
    if (chosen == nullptr || model.latency_ms * model.evaluations > chosen->latency_ms * chosen->evaluations) {
      chosen = &model;
    }
  }
  return chosen;
}

bool has_kernels(const std::string& json) {
  const Json report = Json::parse(json, nullptr, false);
  const Json* table = table_of(report, gpu_latency::kTable);
  if (table == nullptr) return false;
  const auto count = column_of(*table, gpu_latency::kKernelCount);
  for (const Json& row : (*table)[report_columns::kRows]) {
    if (number_in(cell(row, count)) > 0) return true;
  }
  return false;
}

}  // namespace xsp::bench
