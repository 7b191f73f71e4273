#include "analysis/html/table_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/html/diagnosis_list.h"
#include "analysis/html/html_text.h"
#include "analysis/html/needed_data.h"
#include "analysis/html/pattern_list.h"
#include "analysis/html/static_table.h"
#include "analysis/tables/registry.h"

namespace xsp::analysis {
namespace {

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

/// What stands under another table already is folded away, unless there is nothing but notes.
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
  sink->write(fmt::format("<details class=\"notes\"{}><summary>{} of {} {} here too</summary>\n<ul>\n",
                          table.lacks_data ? " open" : "", counted(elsewhere.size(), "note"),
                          html_text(fmt::format("{}", fmt::join(tables, ", "))),
                          elsewhere.size() == 1 ? "holds" : "hold"));
  for (const std::string* note : elsewhere) write_note(*note, sink);
  sink->write("</ul></details>\n");
}

void write_body(const std::string& id, const Table& table, const std::vector<Figure>& figures,
                const HtmlOptions& options, NotesShown* shown, ByteSink* sink) {
  if (const TableDefinition* definition = table_definition(id); definition != nullptr) {
    sink->write(fmt::format("<p class=\"about\">{}.</p>\n", html_text(definition->meaning)));
  }
  if (!table.contradiction.empty()) {
    sink->write(fmt::format("<p class=\"contradiction\">This table contradicts another: {}</p>\n",
                            html_text(table.contradiction)));
  }
  write_figures(id, figures, sink);
  if (table.rows.empty()) {
    const std::string needed = needed_data(id);
    sink->write(fmt::format("<p class=\"missing\">This trace has no data for this table{}{}.</p>\n",
                            needed.empty() ? "" : "; it needs ", html_text(needed)));
  } else if (table.lacks_data) {
    sink->write(
        "<p class=\"missing\">This trace lacks a part of what this table shows; the notes below say what gives "
        "it.</p>\n");
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
