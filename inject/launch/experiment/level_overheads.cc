#include "inject/launch/experiment/level_overheads.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "proto/report_columns.h"

namespace xsp::launch {
namespace {

using Json = nlohmann::json;
namespace levels = report_columns::levels;

/// L1's rows, by the names of its columns.
class LevelRows {
 public:
  explicit LevelRows(const Json& report) {
    if (!report.is_object()) return;
    const Json table = report.value(levels::kTable, Json::object());
    if (!table.is_object()) return;
    columns_ = table.value(report_columns::kColumns, Json::array());
    rows_ = table.value(report_columns::kRows, Json::array());
  }

  size_t count() const { return rows_.is_array() ? rows_.size() : 0; }

  /// Null where there is no such column or value.
  Json at(size_t row, const char* column) const {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].is_object() || columns_[i].value(report_columns::kName, Json()) != Json(column)) continue;
      return rows_[row].is_array() && i < rows_[row].size() ? rows_[row][i] : Json();
    }
    return {};
  }

 private:
  Json columns_ = Json::array();
  Json rows_ = Json::array();
};

std::string text_of(const LevelRows& rows, size_t row) {
  const std::string set = rows.at(row, levels::kLevelSet).get<std::string>();
  const Json overhead = rows.at(row, levels::kOverheadMs);
  if (!overhead.is_number()) return fmt::format("{} {:.4g} ms", set, rows.at(row, levels::kLatencyMs).get<double>());
  std::string text = fmt::format("{} {:+.4g} ms", set, overhead.get<double>());
  const Json percent = rows.at(row, levels::kOverheadPct);
  const bool doubtful = rows.at(row, levels::kSignificant) == Json(false);
  if (percent.is_number()) {
    text += fmt::format(" ({:+.1f} %{})", percent.get<double>(), doubtful ? ", within the spread" : "");
  }
  return text;
}

}  // namespace

std::string overhead_line(const std::string& json) {
  const LevelRows rows(Json::parse(json, nullptr, false));
  std::vector<std::string> texts;
  for (size_t i = 0; i < rows.count(); ++i) {
    const bool usable = rows.at(i, levels::kLevelSet).is_string() && rows.at(i, levels::kLatencyMs).is_number();
    if (usable && rows.at(i, levels::kEventLevel) == Json("model")) texts.push_back(text_of(rows, i));
  }
  return texts.size() < 2 ? std::string() : fmt::format("model latency {}", fmt::join(texts, ", "));
}

}  // namespace xsp::launch
