#include <nlohmann/json.hpp>

#include "analysis/render/render.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Cell& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return valid_utf8(*text);
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return nullptr;
}

/// `{"title":…,\n"columns":…,\n"rows":[\n…\n],…}`: the library writes each part, the line breaks are ours.
std::string json_of(Table table, const ReportOptions& options) {
  const size_t left_out = cut_to_top(options.top, &table);
  if (left_out != 0) table.notes.push_back(std::to_string(left_out) + " more rows left out by --top");
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"name", column.name}, {"unit", column.unit.empty() ? Json() : Json(column.unit)}});
  }
  std::string rows;
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& value : row) cells.push_back(json_of(value));
    rows += (rows.empty() ? "\n  " : ",\n  ") + cells.dump();
  }
  Json notes = Json::array();
  for (const std::string& note : table.notes) notes.push_back(valid_utf8(note));
  std::string out = "{\"title\":" + Json(table.title).dump() + ",\n \"columns\":" + columns.dump() + ",\n \"rows\":[" +
                    rows + "],\n \"notes\":" + notes.dump();
  for (const Extra& extra : table.extras) {
    Json fields = Json::object();
    for (const auto& [name, value] : extra.fields) fields[name] = json_of(value);
    out += ",\n " + Json(extra.name).dump() + ":" + (extra.numbers ? Json(*extra.numbers) : fields).dump();
  }
  for (Table& part : table.parts) {
    const std::string name = Json(part.id).dump();
    out += ",\n " + name + ":" + json_of(std::move(part), options);
  }
  return out + "}";
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// The row is an index; null: the table as a whole.
Json json_of(const Finding& finding) {
  Json evidence = {{"table", finding.table}, {"row", finding.row ? Json(*finding.row) : Json()}};
  return {{"id", finding.id},
          {"title", valid_utf8(finding.text)},
          {"advice", valid_utf8(finding.advice)},
          {"gain_ms", json_of(finding.gain_ms)},
          {"share_pct", json_of(finding.share_pct)},
          {"share_of", finding.share_of.empty() ? Json() : Json(finding.share_of)},
          {"evidence", Json::array({evidence})}};
}

std::string json_of(const ReportFindings& said) {
  std::string findings;
  for (const Finding& finding : said.findings) {
    if (!finding.is_note) findings += (findings.empty() ? "\n  " : ",\n  ") + json_of(finding).dump();
  }
  return ",\n\"verdict\":" + Json(valid_utf8(said.verdict)).dump() + ",\n\"findings\":[" + findings + "]";
}

/// What is no finding gets no key beside the tables, because scripts take all such keys for tables.
Json notes_of(const ReportFindings& said) {
  Json notes = Json::array();
  for (const Finding& finding : said.findings) {
    if (finding.is_note) notes.push_back(json_of(finding));
  }
  return notes;
}

std::string json_of(Json head, std::vector<Table> tables, const ReportOptions& options, const ReportFindings* said) {
  if (said != nullptr) head["notes"] = notes_of(*said);
  std::string out = "{\"xsp\":" + head.dump();
  if (said != nullptr) out += json_of(*said);
  for (Table& table : tables) {
    const std::string id = Json(table.id).dump();
    out += ",\n" + id + ":" + json_of(std::move(table), options);
  }
  return out + "}\n";
}

}  // namespace

std::string render_json(std::vector<Table> tables, const std::vector<ReportInput>& input, const ReportOptions& options,
                        const ReportFindings* said) {
  Json traces = Json::array();
  bool is_diff = false;
  for (const ReportInput& trace : input) {
    traces.push_back({{"path", valid_utf8(trace.path)},
                      {"spans", trace.spans},
                      {"processes", trace.processes},
                      {"complete", trace.complete}});
    if (!trace.side.empty()) traces.back()["input"] = trace.side;
    is_diff |= !trace.side.empty();
  }
  Json head = {{"version", XSP_VERSION}, {"traces", traces}};
  if (is_diff) head["diff"] = true;
  if (!options.finding.empty()) head["finding"] = valid_utf8(options.finding);
  return json_of(std::move(head), std::move(tables), options, said);
}

std::string render_json(std::vector<Table> tables, const std::vector<ReportModel>& models, const ReportOptions& options,
                        const ReportFindings& said) {
  Json list = Json::array();
  for (const ReportModel& model : models) list.push_back({{"path", valid_utf8(model.path)}, {"layers", model.layers}});
  return json_of({{"version", XSP_VERSION}, {"models", list}}, std::move(tables), options, &said);
}

}  // namespace xsp::analysis
