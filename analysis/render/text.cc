#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analysis/render/diagnosis_text.h"
#include "analysis/render/pattern_outline.h"
#include "analysis/render/render.h"
#include "analysis/render/state_graph_text.h"
#include "analysis/render/text_grid.h"
#include "analysis/render/text_tables.h"
#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/iterations.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

std::string note_line(const std::string& note, const ReportOptions& options) {
  constexpr size_t kIndent = 2;
  const TextStyle& style = options.style;
  return style.dim("- " + wrap(style.text(printable(note)), options.width, kIndent, kIndent, style)) + "\n";
}

/// Prints the first notes that no table had; returns how many it did not print.
size_t append_notes(const Table& table, const ReportOptions& options, size_t most, NotesShown* shown,
                    std::string* out) {
  std::set<std::string> elsewhere;
  size_t printed = 0;
  size_t left_out = 0;
  for (const std::string& note : table.notes) {
    const auto found = shown->find(note);
    if (found != shown->end()) {
      if (found->second != table.id) elsewhere.insert(found->second);
    } else if (printed < most) {
      *out += note_line(note, options);
      shown->emplace(note, table.id);
      ++printed;
    } else {
      ++left_out;
    }
  }
  if (!elsewhere.empty() && most == SIZE_MAX) {
    *out += note_line(fmt::format("see also the notes of {}", fmt::join(elsewhere, ", ")), options);
  }
  return left_out;
}

std::string plural(size_t count, std::string_view noun) {
  return fmt::format("{} more {}{}", count, noun, count == 1 ? "" : "s");
}

/// What a brief table does not show, and how to get it.
std::string left_out_note(const Table& table, size_t columns, size_t notes) {
  std::string note = columns == 0 ? std::string() : plural(columns, "column");
  if (notes != 0) note += (note.empty() ? "" : ", ") + plural(notes, "note");
  for (const Table& part : table.parts) note += fmt::format("{}{}", note.empty() ? "" : ", ", part.title);
  return note.empty() ? note : fmt::format("{}: -a {}", note, table.id);
}

/// Of several loops, those of the first one.
std::vector<double> sparkline_values(const Table& table, size_t value) {
  const auto loop = find_column(table, kD1.loop);
  std::vector<double> values;
  for (const auto& row : table.rows) {
    if (loop && row[*loop] != table.rows[0][*loop]) continue;
    const auto* number = std::get_if<double>(&row[value]);
    values.push_back(number == nullptr ? 0 : *number);
  }
  return values;
}

/// "latency_ms by index: ▁▁▇▂…": a table's rows in order of execution as marks, for rows that would not fit one by one.
void append_sparkline(const Table& table, const ReportOptions& options, std::string* out) {
  constexpr size_t kLeastWidth = 60;
  constexpr size_t kLeastRows = 8;
  const TableDefinition* definition = definition_of(table.id, table);
  if (definition == nullptr || definition->course == nullptr || options.width < kLeastWidth) return;
  const auto column = find_column(table, *definition->course);
  if (!column) return;
  const std::vector<double> values = sparkline_values(table, *column);
  if (values.size() < kLeastRows) return;
  const std::string head = fmt::format("{} by {}: ", definition->course->name, definition->course_over->name);
  const size_t room = options.width - head.size();
  const size_t each = (values.size() + room - 1) / room;
  std::vector<double> marks;
  for (size_t row = 0; row < values.size(); ++row) {
    if (row % each == 0) marks.push_back(0);
    marks.back() = std::max(marks.back(), values[row]);
  }
  const double most = *std::max_element(marks.begin(), marks.end());
  if (!(most > 0)) return;
  *out += head;
  for (const double mark : marks) *out += options.style.level(mark / most);
  *out += "\n";
  if (each != 1) *out += note_line(fmt::format("each mark is the largest of {} rows", each), options);
}

/// The pattern of D1, folded: "24 × 30 operations" and, deeper, what they are. Nothing for a part that is no pattern.
void append_pattern(const Table& part, const ReportOptions& options, std::string* out) {
  constexpr size_t kMostLines = 30;
  constexpr size_t kLongestName = 100;
  constexpr size_t kIndent = 2;
  const TextStyle& style = options.style;
  const size_t width = options.width == 0 ? kLongestName : options.width;
  const std::vector<PatternLine> lines = pattern_outline(part, kMostLines);
  if (!lines.empty()) *out += style.text(printable(part.title)) + ":\n";
  for (const PatternLine& line : lines) {
    const std::string indent(kIndent * (line.depth + 1), ' ');
    if (line.left_out != 0) {
      *out += indent + style.dim(style.text(fmt::format("… {}", plural(line.left_out, "line")))) + "\n";
      continue;
    }
    const std::string repeats = style.text(repeats_text(line));
    const size_t used = std::min(width, indent.size() + display_width(repeats));
    const std::string name = line.is_block ? "" : style.text(printable(line.what));
    *out += indent + repeats + style.cut(name, std::max<size_t>(width - used, 1)) + "\n";
  }
}

}  // namespace

void append_table(Table table, const ReportOptions& options, const TableExtent& extent, NotesShown* shown,
                  std::string* out) {
  const TextStyle& style = options.style;
  *out += style.bold(style.text(printable(fmt::format("{} {}", table.id, table.title)))) + "\n";
  append_sparkline(table, options, out);
  const size_t left_out = cut_to_top(extent.rows, &table);
  size_t left_out_columns = 0;
  if (const auto checks = diagnosis_lines(table); !checks.empty()) {
    append_diagnosis(checks, options, out);
    if (left_out != 0) *out += style.text(fmt::format("… {} (--top 0 shows all)\n", plural(left_out, "row")));
  } else if (!table.rows.empty()) {
    const TextGrid grid = lay_out(table, options, extent.important);
    *out += grid.lines;
    if (left_out != 0) *out += style.text(fmt::format("… {} (--top 0 shows all)\n", plural(left_out, "row")));
    left_out_columns = grid.without_value.size() + grid.without_room.size();
    if (!grid.without_value.empty() && !extent.brief) {
      *out += note_line(fmt::format("empty columns: {}", fmt::join(grid.without_value, ", ")), options);
    }
    if (!grid.without_room.empty() && !extent.brief) {
      *out += note_line(fmt::format("not shown in {} columns: {}", options.width, fmt::join(grid.without_room, ", ")),
                        options);
    }
  } else if (left_out != 0) {
    *out += style.text(fmt::format("… {} (--top 0 shows all)\n", plural(left_out, "row")));
  }
  const size_t left_out_notes = append_notes(table, options, extent.notes, shown, out);
  if (extent.brief) {
    const std::string note = left_out_note(table, left_out_columns, left_out_notes);
    if (!note.empty()) *out += note_line(note, options);
    return;
  }
  for (const Table& part : table.parts) {
    if (table.id == kD2.id && &part == part_of(table, kD2States)) {
      append_state_graphs(part, options, out);
      continue;
    }
    const size_t rows = part.rows.size();
    append_pattern(part, options, out);
    *out += note_line(fmt::format("{}: {} row{} with --format json or csv", part.title, rows, rows == 1 ? "" : "s"),
                      options);
  }
}

std::string render_text(std::vector<Table> tables, const ReportOptions& options) {
  const TextStyle& style = options.style;
  std::string out = options.finding.empty() ? "" : style.bold(style.text(printable(options.finding))) + "\n";
  NotesShown shown;
  for (Table& table : tables) {
    if (!out.empty()) out += "\n";
    append_table(std::move(table), options, {.rows = options.top, .important = options.important}, &shown, &out);
  }
  return out;
}

}  // namespace xsp::analysis
