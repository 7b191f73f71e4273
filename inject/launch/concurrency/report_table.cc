#include "inject/launch/concurrency/report_table.h"

#include "proto/report_columns.h"

namespace xsp::launch {
namespace {

using Json = nlohmann::json;

Json member_of(const Json& object, const std::string& name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

std::optional<double> number_in(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::string text_in(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

}  // namespace

std::optional<ReportTable> ReportTable::read(const std::string& json, const std::string& id) {
  ReportTable table;
  table.table_ = member_of(Json::parse(json, nullptr, false), id);
  table.columns_ = member_of(table.table_, report_columns::kColumns);
  table.rows_ = member_of(table.table_, report_columns::kRows);
  if (!table.columns_.is_array() || !table.rows_.is_array()) return std::nullopt;
  return table;
}

Json ReportTable::at(size_t row, const std::string& column) const {
  if (row >= rows_.size() || !rows_[row].is_array()) return {};
  for (size_t i = 0; i < columns_.size() && i < rows_[row].size(); ++i) {
    if (member_of(columns_[i], report_columns::kName) == Json(column)) return rows_[row][i];
  }
  return {};
}

std::string ReportTable::text_at(size_t row, const std::string& column) const { return text_in(at(row, column)); }

std::optional<double> ReportTable::number_at(size_t row, const std::string& column) const {
  return number_in(at(row, column));
}

Json ReportTable::extra(const std::string& name) const { return member_of(table_, name); }

Json ReportTable::beside(const std::string& field) const {
  for (const Json& member : table_) {
    const Json value = member_of(member, field);
    if (!value.is_null()) return value;
  }
  return {};
}

std::optional<double> ReportTable::number_beside(const std::string& field) const { return number_in(beside(field)); }

}  // namespace xsp::launch
