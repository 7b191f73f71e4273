#include "analysis/render/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/render/text_tables.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// In order of use: how long it takes, what that costs to know, then where the time is, outermost level first.
const std::vector<OverviewTable>& overview_tables() {
  static const std::vector<OverviewTable> kTables = {
      {"A1",
       "latency_ms",
       {"batch_size", "latency_ms", "period_ms", "throughput_per_s", "model", "input", "n", "ci_low_ms", "ci_high_ms"}},
      {"L1", "overhead_ms", {"level_set", "event_level", "layer_name", "latency_ms", "overhead_pct", "significant"}},
      {"M1", "model_latency_ms", {"name", "online_latency_ms", "max_throughput_per_s", "optimal_batch"}},
      {"A6", "latency_ms", {"type", "latency_ms", "latency_pct", "count"}},
      {"A2", "latency_ms", {"index", "name", "type", "latency_ms", "gpu_ms", "shape", "library_ms", "library"}},
      {"A10",
       "latency_ms",
       {"kernel_name", "latency_ms", "kernel_pct", "count", "memory_bound", "throughput_tflops", "data_type"}},
      {"A15",
       "kernel_latency_ms",
       {"model", "model_latency_ms", "gpu_busy_pct", "kernel_latency_ms", "kernel_count", "bound", "pct_of_roof",
        "throughput_tflops"}},
      {"C2", "count", {"function", "self_ms", "count", "gflop_per_s", "library", "kernel_ms", "kernel_pct", "host_ms"}},
      {"C1", "host_ms", {"call_index", "function", "layer_name", "host_ms", "arguments"}},
      {"A7", "alloc_mb", {"type", "alloc_mb", "alloc_pct", "count"}},
      {"A5", "count", {"type", "count", "count_pct"}},
      {"Q1", "value", {"quantity", "level", "value", "note"}},
  };
  return kTables;
}

/// Tables that have rows even where the trace tells nothing of what they are about.
std::string_view measure_of(std::string_view id) {
  if (id == "A4") return "alloc_mb";
  if (id == "A9" || id == "A14") return "throughput_tflops";
  if (id == "A12") return "gflops";
  if (id == "A13") return "gpu_ms";
  for (const OverviewTable& table : overview_tables()) {
    if (table.id == id) return table.measure;
  }
  return {};
}

bool has_data(const Table& table) {
  if (table.rows.empty()) return false;
  const std::string_view measure = measure_of(table.id);
  const auto column =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& c) { return c.name == measure; });
  if (column == table.columns.end()) return true;
  const auto at = static_cast<size_t>(column - table.columns.begin());
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return !is_null(row[at]); });
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

std::vector<const OverviewTable*> choose_overview(const std::vector<Table>& tables) {
  std::vector<const OverviewTable*> chosen;
  for (const OverviewTable& candidate : overview_tables()) {
    const Table* table = find_table(tables, candidate.id);
    if (table == nullptr || !has_data(*table)) continue;
    // A1 has the only model.
    if (candidate.id == "M1" && table->rows.size() < 2) continue;
    chosen.push_back(&candidate);
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
  for (const OverviewTable* table : chosen) {
    out += "\n";
    append_table(*find_table(report.tables, table->id), options,
                 {.rows = options.top, .notes = kNotes, .important = table->important, .brief = true}, &shown, &out);
  }
  std::vector<std::string> others;
  for (const Table& table : report.tables) {
    const bool is_shown = std::any_of(chosen.begin(), chosen.end(),
                                      [&](const OverviewTable* shown_one) { return shown_one->id == table.id; });
    if (!is_shown && has_data(table)) others.push_back(table.id);
  }
  const TextStyle& style = options.style;
  const std::string more = others.empty() ? std::string("-a all prints every table; --html makes a page with figures")
                                          : fmt::format(
                                                "also with data: {} (-a {} or -a all prints them; --html makes "
                                                "a page of everything)",
                                                fmt::join(others, " "), others.front());
  out += fmt::format("\n{}\n", wrap(style.text(more), options.width, 0, 0, style));
  return out;
}

}  // namespace xsp::analysis
