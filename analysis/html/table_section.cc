#include "analysis/html/table_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/byte_sink.h"
#include "analysis/html/html_text.h"
#include "analysis/html/static_table.h"
#include "analysis/render/diagnosis_text.h"
#include "analysis/render/pattern_outline.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/table.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// What D4 found as a list with its evidence and what to do; nothing of a table that is not D4, or that found nothing.
void write_diagnosis_list(const Table& table, ByteSink* sink) {
  std::string items;
  for (const DiagnosisLine& line : diagnosis_lines(table)) {
    if (!line.found) continue;
    items += fmt::format("<li><data class=\"value\">{}</data>\n<p><b>{}</b>{}: {}</p>", html_text(line.value),
                         html_text(line.name), line.loop.empty() ? "" : " of loop " + html_text(line.loop),
                         html_text(line.evidence));
    if (!line.advice.empty()) items += fmt::format("\n<p class=\"advice\">{}</p>", html_text(line.advice));
    items += "</li>\n";
  }
  if (!items.empty()) sink->write("<ul class=\"findings\">\n" + items + "</ul>\n");
}

constexpr size_t kMostPatternLines = 400;
constexpr size_t kOpenLines = 60;  // of a pattern that is shown opened
constexpr size_t kNameWidth = 100;

std::string name_of(const PatternLine& line) {
  const std::string whole = printable(line.what);
  const std::string shown = shorten(whole, kNameWidth);
  if (shown.size() == whole.size()) return fmt::format("<code>{}</code>", html_text(shown));
  return fmt::format("<code title=\"{}\">{}</code>", html_text(shorten(whole, kTitleWidth)), html_text(shown));
}

/// Whether a part is a folded pattern, which is written as a list in place of a table.
bool is_pattern(const Table& part) { return !pattern_outline(part, 2).empty(); }

/// A list of the pattern's operations; what repeats is a list within, to be opened and closed without scripts.
void write_pattern_list(const Table& part, ByteSink* sink) {
  const std::vector<PatternLine> lines = pattern_outline(part, kMostPatternLines);
  std::string out = "<ul class=\"pattern\">\n";
  size_t depth = 0;
  for (const PatternLine& line : lines) {
    for (; depth > line.depth; --depth) out += "</ul></details></li>\n";
    if (line.left_out != 0) {
      out += fmt::format("<li class=\"left-out\">… {}</li>\n", counted(line.left_out, "more line"));
    } else if (line.is_block) {
      const bool open = line.depth == 0 || lines.size() <= kOpenLines;
      out +=
          fmt::format("<li><details{}><summary>{}</summary><ul>\n", open ? " open" : "", html_text(repeats_text(line)));
      ++depth;
    } else {
      out += fmt::format("<li>{}{}</li>\n", html_text(repeats_text(line)), name_of(line));
    }
  }
  for (; depth > 0; --depth) out += "</ul></details></li>\n";
  sink->write(out + "</ul>\n");
}

struct Need {
  std::string_view level;  // of TableFacts, the last of several
  std::string_view what;
};

constexpr std::array kNeeds = {
    Need{"M", "model calls (record with xsp-run -- COMMAND)"},
    Need{"L", "layers (record with xsp-run -- COMMAND)"},
    Need{"C", "calls into compute libraries (record with xsp-run -- COMMAND)"},
    Need{"G", "GPU kernels (record with xsp-run -- COMMAND on a machine with a GPU)"},
    Need{"G+metrics", "GPU kernels with known flops and bytes (record with xsp-run --metrics roofline -- COMMAND)"},
    Need{"a leveled set", "runs at several levels (record with xsp-run --leveled -- COMMAND)"},
};

/// What a table without rows needs and which command records it: "layers (record with xsp-run -- COMMAND)"; empty
/// where no more data would help.
std::string needed_data(std::string_view table) {
  const TableDefinition* definition = table_definition(table);
  if (definition == nullptr) return {};
  std::string_view level = definition->level;
  if (const size_t comma = level.rfind(", "); comma != std::string_view::npos) level.remove_prefix(comma + 2);
  const auto need = std::find_if(kNeeds.begin(), kNeeds.end(), [&](const Need& known) { return known.level == level; });
  return need == kNeeds.end() ? "" : std::string(need->what);
}

void write_figures(const std::string& table, const std::vector<Figure>& figures, ByteSink* sink) {
  for (const Figure& figure : figures) {
    if (figure.table != table) continue;
    sink->write(fmt::format("<figure data-figure=\"{}\"><figcaption>{}</figcaption>\n", html_text(figure.id),
                            html_text(figure.title)));
    sink->write(svg_of(figure));
    if (!figure.finding.empty()) sink->write(fmt::format("<p class=\"shows\">{}</p>\n", html_text(figure.finding)));
    if (!figure.note.empty()) sink->write(fmt::format("<p class=\"note\">{}</p>\n", html_text(figure.note)));
    sink->write("</figure>\n");
  }
}

/// "optimal batch: rule 16, max 64".
void write_extras(const Table& table, ByteSink* sink) {
  for (const Extra& extra : table.extras) {
    if (extra.numbers) continue;
    std::string name = extra.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    sink->write(fmt::format("<dl class=\"extra\"><dt>{}</dt>", html_text(capitalised(name))));
    for (const auto& [field, value] : extra.fields) {
      sink->write(fmt::format("<dd>{}: {}</dd>", html_text(field), html_text(cell_text(value, {}))));
    }
    sink->write("</dl>\n");
  }
}

void write_note(const std::string& note, ByteSink* sink) { sink->write(fmt::format("<li>{}</li>\n", html_text(note))); }

/// Notes that another table shows already are folded away, unless there is nothing but notes.
void write_notes(const std::string& id, const Table& table, NotesShown* shown, ByteSink* sink) {
  std::vector<const std::string*> elsewhere;
  std::set<std::string> tables;
  bool any = false;
  for (const std::string& note : table.notes) {
    const auto [found, added] = shown->try_emplace(note, id);
    if (!added && !table.rows.empty()) {
      elsewhere.push_back(&note);
      tables.insert(found->second);
      continue;
    }
    if (!any) sink->write("<ul class=\"notes\">\n");
    any = true;
    write_note(note, sink);
  }
  if (any) sink->write("</ul>\n");
  if (elsewhere.empty()) return;
  sink->write(fmt::format("<details class=\"notes\"{}><summary>{} of {} also {} here</summary>\n<ul>\n",
                          table.lacks_data ? " open" : "", counted(elsewhere.size(), "note"),
                          html_text(fmt::format("{}", fmt::join(tables, ", "))),
                          elsewhere.size() == 1 ? "applies" : "apply"));
  for (const std::string* note : elsewhere) write_note(*note, sink);
  sink->write("</ul></details>\n");
}

void write_body(const std::string& id, const Table& table, const std::vector<Figure>& figures,
                const HtmlOptions& options, NotesShown* shown, ByteSink* sink) {
  if (const TableDefinition* definition = definition_of(id, table); definition != nullptr) {
    sink->write(fmt::format("<p class=\"about\">{}.</p>\n", html_text(definition->meaning)));
  }
  if (!table.contradiction.empty()) {
    sink->write(fmt::format("<p class=\"contradiction\">Contradiction with another table: {}</p>\n",
                            html_text(table.contradiction)));
  }
  write_figures(id, figures, sink);
  if (table.rows.empty()) {
    const std::string needed = needed_data(id);
    sink->write(fmt::format("<p class=\"missing\">This trace has no data for this table{}{}.</p>\n",
                            needed.empty() ? "" : "; it needs ", html_text(needed)));
  } else if (table.lacks_data) {
    sink->write(
        "<p class=\"missing\">Part of this table is missing; the notes below say what, and how to get it.</p>\n");
  }
  write_diagnosis_list(table, sink);
  if (is_pattern(table)) {
    write_pattern_list(table, sink);
  } else {
    write_static_table(id, table, options, sink);
  }
  write_extras(table, sink);
  write_notes(id, table, shown, sink);
  for (const Table& part : table.parts) {
    const std::string name = html_text(id + "." + part.id);
    sink->write(
        fmt::format("<section class=\"part\" id=\"{0}\" aria-labelledby=\"{0}-head\">\n"
                    "<h3 id=\"{0}-head\">{1}</h3>\n",
                    name, html_text(capitalised(part.title))));
    write_body(id + "." + part.id, part, figures, options, shown, sink);
    sink->write("</section>\n");
  }
}

}  // namespace

std::string heading_of(const Table& table) { return table.id + " " + capitalised(table.title); }

void write_table_section(const Table& table, const std::vector<Figure>& figures, const HtmlOptions& options,
                         NotesShown* shown, ByteSink* sink) {
  const std::string id = html_text(table.id);
  sink->write(
      fmt::format("<section class=\"analysis\" id=\"{0}\" aria-labelledby=\"{0}-head\">\n"
                  "<h2 id=\"{0}-head\">{1}</h2>\n",
                  id, html_text(heading_of(table))));
  write_body(table.id, table, figures, options, shown, sink);
  sink->write("</section>\n");
}

}  // namespace xsp::analysis
