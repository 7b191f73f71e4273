#include "analysis/render/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/render/text_tables.h"
#include "analysis/tables/models.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// The definitions of those tables that an overview may have, in order of use: how long it takes, what that costs to
/// know, then where the time is, outermost level first.
std::vector<const TableDefinition*> overview_tables(const std::vector<Table>& tables) {
  std::vector<const TableDefinition*> candidates;
  for (const Table& table : tables) {
    const TableDefinition* definition = definition_of(table.id, table);
    if (definition != nullptr && definition->overview_place != 0) candidates.push_back(definition);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const TableDefinition* a, const TableDefinition* b) { return a->overview_place < b->overview_place; });
  return candidates;
}

/// Some tables have rows even if the trace tells nothing about their subject.
bool has_data(const Table& table) {
  if (table.rows.empty()) return false;
  const TableDefinition* definition = definition_of(table.id, table);
  if (definition == nullptr || definition->measure == nullptr) return true;
  const auto measure = find_column(table, *definition->measure);
  if (!measure) return true;
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return !is_null(row[*measure]); });
}

const Table* find_table(const std::vector<Table>& tables, std::string_view id) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& table) { return table.id == id; });
  return found == tables.end() ? nullptr : &*found;
}

void append_facts(const ReportHeader& header, const ReportOptions& options, std::string* out) {
  constexpr size_t kIndent = 2;
  const TextStyle& style = options.style;
  for (const Fact& fact : header.facts) {
    const std::string line = style.text(fmt::format("  {}: {}", printable(fact.name), printable(fact.value)));
    *out += style.dim(wrap(line, options.width, kIndent, 0, style)) + "\n";
  }
}

/// The verdict, what it is of in a line, and with -v all that is known of the recording.
void append_head(const Report& report, const ReportOptions& options, std::string* out) {
  const TextStyle& style = options.style;
  if (!report.verdict.empty()) {
    *out += style.bold(wrap(style.text(printable(report.verdict)), options.width, 0, 0, style)) + "\n";
  }
  std::string line = printable(report.header.title);
  if (!report.header.line.empty()) line += " · " + printable(report.header.line);
  *out += style.dim(wrap(style.text(line), options.width, 0, 0, style)) + "\n";
  if (options.verbose) append_facts(report.header, options, out);
}

void append_findings(const std::vector<Finding>& findings, const ReportOptions& options, std::string* out) {
  const TextStyle& style = options.style;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    const bool first = i == 0 || findings[i - 1].is_note != finding.is_note;
    if (first) *out += fmt::format("\n{}\n", style.bold(finding.is_note ? "Notes" : "Findings"));
    const std::string mark = finding.is_note ? style.text("- ") : fmt::format("{}. ", i + 1);
    const size_t indent = finding.is_note ? 2 : 3;
    const std::string text = style.text(fmt::format("{} [{}]", printable(finding.text), finding.table));
    const bool doubts = !finding.is_note && !finding.share_pct && finding.weight >= 1;
    *out += doubts ? style.warning(mark) : style.accent(mark);
    *out += wrap(text, options.width, indent, indent, style) + "\n";
    if (finding.advice.empty()) continue;
    const std::string advice = style.text(printable(finding.advice));
    *out += std::string(indent, ' ') + style.dim(wrap(advice, options.width, indent, indent, style)) + "\n";
  }
}

}  // namespace

std::vector<const TableDefinition*> choose_overview(const std::vector<Table>& tables) {
  std::vector<const TableDefinition*> chosen;
  for (const TableDefinition* candidate : overview_tables(tables)) {
    const Table* table = find_table(tables, candidate->id);
    if (table == nullptr || !has_data(*table)) continue;
    // A1 has the only model.
    if (candidate == &kM1 && table->rows.size() < 2) continue;
    chosen.push_back(candidate);
    if (chosen.size() == kOverviewTables) break;
  }
  return chosen;
}

std::string render_overview(const Report& report, const ReportOptions& options) {
  constexpr size_t kNotes = 1;  // what a table's numbers are; the rest is asked for with the table
  std::string out;
  append_head(report, options, &out);
  append_findings(report.findings, options, &out);
  NotesShown shown;
  const auto chosen = choose_overview(report.tables);
  for (const TableDefinition* table : chosen) {
    out += "\n";
    append_table(*find_table(report.tables, table->id), options,
                 {.rows = options.top, .notes = kNotes, .important = names_of(table->important()), .brief = true},
                 &shown, &out);
  }
  std::vector<std::string> others;
  for (const Table& table : report.tables) {
    const bool is_shown = std::any_of(chosen.begin(), chosen.end(),
                                      [&](const TableDefinition* shown_one) { return shown_one->id == table.id; });
    if (!is_shown && has_data(table)) others.push_back(table.id + " " + table.title);
  }
  const TextStyle& style = options.style;
  const auto add_line = [&](const std::string& line) {
    out += wrap(style.text(line), options.width, 0, 0, style) + "\n";
  };
  out += "\n";
  if (others.empty()) {
    add_line("to print all tables: -a all; as a page with figures: --html");
  } else {
    add_line(fmt::format("more tables: {}", fmt::join(others, ", ")));
    add_line(fmt::format("to print one: -a {}; all: -a all; as a page with figures: --html",
                         others.front().substr(0, others.front().find(' '))));
  }
  return out;
}

}  // namespace xsp::analysis
