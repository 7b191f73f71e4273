#include "analysis/report/given_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "proto/report_columns.h"

namespace xsp::analysis {
namespace {

using Json = nlohmann::ordered_json;
namespace names = report_columns;

constexpr size_t kMostBytes = size_t{1} << 30;
/// Names in one object; their look-up is linear.
constexpr size_t kMostNames = 256;
constexpr double kMostIndex = 1e15;
constexpr const char* kHowToMake = "make it by: xsp-bound MODEL.onnx --trace TRACE --format json -o bounds.json";

Status no_bounds(const std::string& path, std::string_view why) {
  return {fmt::format("{} holds no bounds of a trace ({})", path, why), kHowToMake};
}

Cell cell_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX)) {
    return value.get<int64_t>();
  }
  if (value.is_number()) return cell(value.get<double>());
  return {};
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

/// Nothing where it counts nothing.
std::optional<size_t> index_of(std::optional<double> number) {
  if (!number || *number < 0 || *number > kMostIndex || *number != std::floor(*number)) return {};
  return static_cast<size_t>(*number);
}

const Json* member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

/// False where it is no table.
bool read_table(const std::string& id, const Json& object, Table* table) {
  const Json* columns = member(object, names::kColumns);
  const Json* rows = member(object, names::kRows);
  if (columns == nullptr || rows == nullptr || !columns->is_array() || !rows->is_array()) return false;
  table->id = id;
  table->title = text_of(object, "title");
  for (const Json& column : *columns) {
    if (!column.is_object()) return false;
    table->columns.push_back({.name = text_of(column, names::kName), .unit = text_of(column, "unit")});
  }
  for (const Json& row : *rows) {
    if (!row.is_array() || row.size() != table->columns.size()) return false;
    std::vector<Cell>& cells = table->rows.emplace_back();
    cells.reserve(row.size());
    for (const Json& value : row) cells.push_back(cell_of(value));
  }
  if (const Json* notes = member(object, "notes"); notes != nullptr && notes->is_array()) {
    for (const Json& note : *notes) {
      if (note.is_string()) table->notes.push_back(note.get<std::string>());
    }
  }
  return true;
}

/// Cells of a column by name; null where the table lacks it.
class ColumnOf {
 public:
  ColumnOf(const Table& table, std::string_view name) : table_(table) {
    const auto found = std::ranges::find(table.columns, name, &Column::name);
    if (found != table.columns.end()) place_ = static_cast<size_t>(found - table.columns.begin());
  }
  std::optional<double> number(size_t row) const {
    if (!place_) return {};
    const Cell& value = table_.rows[row][*place_];
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
    return {};
  }
  std::string text(size_t row) const {
    const auto* text = place_ ? std::get_if<std::string>(&table_.rows[row][*place_]) : nullptr;
    return text == nullptr ? "" : *text;
  }

 private:
  const Table& table_;
  std::optional<size_t> place_;
};

const Table* table_named(const std::vector<Table>& tables, std::string_view id) {
  const auto found = std::ranges::find(tables, id, &Table::id);
  return found == tables.end() ? nullptr : &*found;
}

void read_layer_bounds(const Table& table, std::vector<LayerBound>* layers) {
  const ColumnOf index(table, names::measured_layers::kTraceIndex);
  const ColumnOf name(table, names::measured_layers::kName);
  const ColumnOf measured(table, names::measured_layers::kMeasuredMs);
  const ColumnOf bound(table, names::measured_layers::kBoundMs);
  const ColumnOf fused(table, names::measured_layers::kFusedMs);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const std::optional<size_t> place = index_of(index.number(row));
    if (!place) continue;
    const std::optional<double> layer_by_layer = bound.number(row);
    layers->push_back({.index = *place,
                       .name = name.text(row),
                       .measured_ms = measured.number(row),
                       .bound_ms = fused.number(row) ? fused.number(row) : layer_by_layer,
                       .layer_by_layer = layer_by_layer});
  }
}

std::optional<double> model_bound(const Table& table) {
  const ColumnOf mode(table, names::sequential_bounds::kMode);
  const ColumnOf bound(table, names::sequential_bounds::kBoundMs);
  std::optional<double> found;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const std::string name = mode.text(row);
    if (name == names::sequential_bounds::kFused || (name == names::sequential_bounds::kLayers && !found)) {
      found = bound.number(row);
    }
  }
  return found;
}

Finding finding_of(const Json& object) {
  Finding finding;
  finding.id = "bounds-" + text_of(object, "id");
  finding.text = text_of(object, "title");
  finding.advice = text_of(object, "advice");
  finding.gain_ms = number_of(object, "gain_ms");
  finding.share_pct = number_of(object, "share_pct");
  finding.share_of = text_of(object, "share_of");
  const Json* evidence = member(object, "evidence");
  if (evidence != nullptr && evidence->is_array() && !evidence->empty() && evidence->front().is_object()) {
    finding.table = text_of(evidence->front(), "table");
    finding.row = index_of(number_of(evidence->front(), "row"));
  }
  return finding;
}

Status read_whole(const std::string& path, std::string* text) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 65536> block;
  while (file) {
    file.read(block.data(), block.size());
    text->append(block.data(), static_cast<size_t>(file.gcount()));
    if (text->size() > kMostBytes) return no_bounds(path, "it is too large");
  }
  if (file.eof() && !file.bad()) return {};
  return {fmt::format("cannot read {} ({})", path, std::strerror(errno)), kHowToMake};
}

/// A discarded value where it is no JSON. Names beyond kMostNames are left out.
Json parse(const std::string& text) {
  std::vector<size_t> names_so_far;
  return Json::parse(
      text,
      [&names_so_far](int, Json::parse_event_t event, const Json&) {
        if (event == Json::parse_event_t::object_start) names_so_far.push_back(0);
        if (event == Json::parse_event_t::object_end) names_so_far.pop_back();
        return event != Json::parse_event_t::key || ++names_so_far.back() <= kMostNames;
      },
      false);
}

}  // namespace

Status read_given_bounds(const std::string& path, GivenBounds* bounds) {
  *bounds = {};
  bounds->path = path;
  std::string text;
  if (Status status = read_whole(path, &text); !status.ok()) return status;
  const Json file = parse(text);
  const Json* head = member(file, "xsp");
  if (file.is_discarded() || head == nullptr) return no_bounds(path, "it is not xsp-bound's JSON");
  const Json* models = member(*head, "models");
  if (models == nullptr || !models->is_array() || models->size() != 1 || !models->front().is_object()) {
    return no_bounds(path, "it is not of one model");
  }
  bounds->model = text_of(models->front(), "path");
  for (const auto& [id, object] : file.items()) {
    Table table;
    if (id.starts_with('B') && read_table(id, object, &table)) bounds->tables.push_back(std::move(table));
  }
  const Table* layers = table_named(bounds->tables, names::measured_layers::kTable);
  // Without a trace the table is there, but empty.
  if (layers == nullptr || layers->rows.empty())
    return no_bounds(path, "it was made without --trace, or without its table B3.layers");
  read_layer_bounds(*layers, &bounds->layers);
  if (const Table* model = table_named(bounds->tables, names::sequential_bounds::kTable)) {
    bounds->model_bound_ms = model_bound(*model);
  }
  if (const Json* findings = member(file, "findings"); findings != nullptr && findings->is_array()) {
    for (const Json& finding : *findings) {
      if (finding.is_object()) bounds->findings.push_back(finding_of(finding));
    }
  }
  return {};
}

}  // namespace xsp::analysis
