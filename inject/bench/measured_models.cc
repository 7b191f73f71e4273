#include "measured_models.h"

#include <nlohmann/json.hpp>

namespace xsp::bench {
namespace {

using Json = nlohmann::json;

/// A table of a report: null where it has none of this name.
const Json* table_of(const Json& report, const char* name) {
  if (!report.is_object()) return nullptr;
  const auto table = report.find(name);
  if (table == report.end() || !table->is_object()) return nullptr;
  if (!table->contains("columns") || !(*table)["columns"].is_array()) return nullptr;
  if (!table->contains("rows") || !(*table)["rows"].is_array()) return nullptr;
  return &*table;
}

/// The last column of this name: those of parameters stand behind the table's own.
std::optional<size_t> column_of(const Json& table, const std::string& name) {
  const Json& columns = table["columns"];
  for (size_t i = columns.size(); i-- > 0;) {
    if (columns[i].is_object() && columns[i].value("name", "") == name) return i;
  }
  return std::nullopt;
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
  const Json* table = table_of(report, "A1");
  if (table == nullptr) return std::nullopt;
  const auto value = column_of(*table, parameter);
  if (!value) return std::nullopt;
  const auto model = column_of(*table, "model");
  const auto latency = column_of(*table, "latency_ms");
  const auto throughput = column_of(*table, "throughput_per_s");
  const auto evaluations = column_of(*table, "n");
  std::vector<MeasuredModel> models;
  for (const Json& row : (*table)["rows"]) {
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
    if (model.value != value || (!name.empty() && model.model != name)) continue;
    if (chosen == nullptr || model.latency_ms * model.evaluations > chosen->latency_ms * chosen->evaluations) {
      chosen = &model;
    }
  }
  return chosen;
}

bool has_kernels(const std::string& json) {
  const Json report = Json::parse(json, nullptr, false);
  const Json* table = table_of(report, "A15");
  if (table == nullptr) return false;
  const auto count = column_of(*table, "kernel_count");
  for (const Json& row : (*table)["rows"]) {
    if (number_in(cell(row, count)) > 0) return true;
  }
  return false;
}

}  // namespace xsp::bench
