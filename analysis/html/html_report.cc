#include "analysis/html/html_report.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "analysis/figures/figure.h"
#include "analysis/html/html_text.h"
#include "analysis/html/lanes_section.h"
#include "analysis/html/overview_section.h"
#include "analysis/html/packed_data.h"
#include "analysis/html/packed_tables.h"
#include "analysis/html/page_head.h"
#include "analysis/html/table_section.h"

namespace xsp::analysis {
namespace {

void write_contents(const Report& report, ByteSink* sink) {
  const auto write_link = [&](const std::string& id, const std::string& text, bool has_data) {
    sink->write(fmt::format("<li{}><a href=\"#{}\">{}</a>{}</li>\n", has_data ? "" : " class=\"empty\"", html_text(id),
                            html_text(text), has_data ? "" : " <span>no data</span>"));
  };
  sink->write("<nav id=\"contents\" aria-label=\"Contents\">\n<ul>\n");
  write_link("overview", "Overview", true);
  for (const Table& table : report.tables) {
    write_link(table.id, heading_of(table), !table.rows.empty());
  }
  write_link("timeline", "Timeline", true);
  write_link("icicle", "Icicle", true);
  sink->write("</ul>\n</nav>\n");
}

/// For the scripts, by id.
void write_packed_figures(const std::vector<std::vector<Figure>>& figures, ByteSink* sink) {
  PackedData data("xsp-figures", sink);
  std::string_view separator = "{";
  for (const std::vector<Figure>& of_table : figures) {
    for (const Figure& figure : of_table) {
      data.write(fmt::format("{}\"{}\":", separator, figure.id));
      data.write(json_of(figure));
      separator = ",\n";
    }
  }
  data.write(separator == "{" ? "{}\n" : "}\n");
  data.finish();
}

}  // namespace

void write_html(const Report& report, const AnalysedTrace& analysed, const HtmlOptions& options, ByteSink* sink) {
  std::vector<std::vector<Figure>> figures;  // by table
  for (const Table& table : report.tables) figures.push_back(figures_of(table));
  write_page_head(report.header.title, sink);
  sink->write("<body>\n<a class=\"skip\" href=\"#overview\">Skip to the overview</a>\n<header>\n<h1>");
  sink->write(html_text(report.header.title));
  sink->write("</h1>\n<div id=\"theme\"></div>\n</header>\n");
  write_contents(report, sink);
  sink->write("<main>\n");
  write_overview(report, sink);
  NotesShown shown;
  for (size_t i = 0; i < report.tables.size(); ++i) {
    write_table_section(report.tables[i], figures[i], options, &shown, sink);
  }
  write_lanes_sections(analysed, sink);
  sink->write("</main>\n");
  {
    PackedData tables("xsp-tables", sink);
    write_packed_tables(report.tables, options.rows, &tables);
    tables.finish();
  }
  write_packed_figures(figures, sink);
  write_packed_lanes(analysed, sink);
  write_page_end(sink);
}

}  // namespace xsp::analysis
