#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace xsp::launch {

/// A table in what `xsp-report --format json` prints, by the names of its columns and of what stands beside its rows.
class ReportTable {
 public:
  /// Nothing where the text is no report, or has no such table.
  static std::optional<ReportTable> read(const std::string& json, const std::string& id);

  size_t count() const { return rows_.size(); }

  /// Null where there is no such row, column or value.
  nlohmann::json at(size_t row, const std::string& column) const;
  std::string text_at(size_t row, const std::string& column) const;              ///< empty: no text
  std::optional<double> number_at(size_t row, const std::string& column) const;  ///< nothing: no number

  /// What stands beside the rows by this name; null where nothing does.
  nlohmann::json extra(const std::string& name) const;

  /// A field of what stands beside the rows, such as `chosen` of A1's optimal batch; null where none has it.
  nlohmann::json beside(const std::string& field) const;
  std::optional<double> number_beside(const std::string& field) const;

 private:
  nlohmann::json table_;
  nlohmann::json columns_;
  nlohmann::json rows_;
};

}  // namespace xsp::launch
