// Writes the figures of the tables of a report: figure_files REPORT.json FOLDER. Each ID.svg and ID.json; the tables
// are as xsp-report --format json writes them.

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/figures/figure.h"

namespace {

using nlohmann::ordered_json;
using namespace xsp::analysis;

Cell cell_of(const ordered_json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

Table table_of(const std::string& id, const ordered_json& json) {
  Table table;
  table.id = id;
  for (const auto& [key, value] : json.items()) {
    if (key == "title") {
      table.title = value.get<std::string>();
    } else if (key == "columns") {
      for (const ordered_json& column : value) {
        table.columns.push_back({column["name"], column["unit"].is_null() ? "" : column["unit"].get<std::string>()});
      }
    } else if (key == "rows") {
      for (const ordered_json& row : value) {
        auto& cells = table.rows.emplace_back();
        for (const ordered_json& cell : row) cells.push_back(cell_of(cell));
      }
    } else if (key == "notes") {
      for (const ordered_json& note : value) table.notes.push_back(note);
    } else if (value.is_object() && value.contains("columns")) {
      table.parts.push_back(table_of(key, value));
    } else if (value.is_object()) {
      Extra extra{key, {}};
      for (const auto& [name, field] : value.items()) extra.fields.emplace_back(name, cell_of(field));
      table.extras.push_back(extra);
    }
  }
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1]);
  const ordered_json report = ordered_json::parse(in);
  for (const auto& [id, json] : report.items()) {
    if (!json.is_object() || !json.contains("columns")) continue;
    for (const Figure& figure : figures_of(table_of(id, json))) {
      const std::string path = std::string(argv[2]) + "/" + figure.id;
      std::ofstream(path + ".svg") << svg_of(figure);
      std::ofstream(path + ".json") << json_of(figure);
      std::printf("%s\t%s\t%s\n", figure.id.c_str(), figure.finding.c_str(), figure.note.c_str());
    }
  }
}
