#include <fmt/format.h>

#include "analysis/render/render.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// Spreadsheets take text that begins like this for a formula, and run it. Numbers are cells of their own.
bool is_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
}

std::string field_of(const Cell& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string shown(is_formula(*text) ? 1 : 0, '\'');
    shown += valid_utf8(*text);
    return quoted(shown);
  }
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return {};
}

void append_record(const std::vector<std::string>& fields, std::string* out) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i != 0) *out += ',';
    *out += fields[i];
  }
  *out += "\r\n";
}

void append_table(Table* table, const ReportOptions& options, std::string* out) {
  cut_to_top(options.top, table);
  std::vector<std::string> fields;
  for (const Column& column : table->columns) fields.push_back(quoted(column.name));
  if (!fields.empty()) append_record(fields, out);
  for (const auto& row : table->rows) {
    fields.clear();
    for (const Cell& value : row) fields.push_back(field_of(value));
    append_record(fields, out);
  }
}

}  // namespace

std::string render_csv(std::vector<Table> tables, const ReportOptions& options) {
  std::vector<Table> sections;
  for (Table& table : tables) {
    std::vector<Table> parts = std::move(table.parts);
    const std::string prefix = table.id + ".";
    sections.push_back(std::move(table));
    for (Table& part : parts) {
      part.id.insert(0, prefix);
      sections.push_back(std::move(part));
    }
  }
  std::string out;
  for (Table& section : sections) {
    if (sections.size() > 1) out += fmt::format("{}# {} {}\r\n", out.empty() ? "" : "\r\n", section.id, section.title);
    append_table(&section, options, &out);
  }
  return out;
}

}  // namespace xsp::analysis
