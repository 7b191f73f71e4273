#include "analysis/html/html_report.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/byte_sink.h"
#include "analysis/figures/figure.h"
#include "analysis/html/embedded_assets.h"
#include "analysis/html/html_text.h"
#include "analysis/html/overview_section.h"
#include "analysis/html/packed_data.h"
#include "analysis/html/packed_tables.h"
#include "analysis/html/table_section.h"
#include "analysis/lanes/icicle.h"
#include "analysis/lanes/timeline_data.h"
#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {
namespace {

/// Within a comment "--" could end it.
std::string comment_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '-' && safe.ends_with('-')) safe += ' ';
    safe += c;
  }
  return safe;
}

/// From the doctype to the begin of the body: title, style, and the policy, which allows only what has one of its
/// hashes.
void write_page_head(const std::string& title, ByteSink* sink) {
  sink->write(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  sink->write(
      fmt::format("default-src 'none'; style-src '{}'; script-src '{}' '{}'; img-src data: blob:; base-uri 'none'; "
                  "form-action 'none'",
                  kPageStyleHash, kChartScriptHash, kPageScriptHash));
  // A page that is served without an icon makes browsers ask for one.
  sink->write(
      fmt::format("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"generator\" content=\"XSP {}\">\n<link rel=\"icon\" href=\"data:,\">\n"
                  "<title>{}</title>\n<style>",
                  XSP_VERSION, html_text(title)));
  sink->write(kPageStyle);
  sink->write("</style>\n</head>\n");
}

/// The scripts that the policy names, with the licence of what is not ours, and the end of the page.
void write_page_end(ByteSink* sink) {
  sink->write("<!-- Chart.js, as packaged by Debian:\n");
  sink->write(comment_text(kChartLicence));
  sink->write("\n-->\n<script>");
  sink->write(kChartScript);
  sink->write("</script>\n<script>");
  sink->write(kPageScript);
  sink->write("</script>\n</body>\n</html>\n");
}

constexpr std::string_view kNoSpans =
    "<p class=\"missing\">This trace has no spans; it needs a program that calls a model, which xsp-run -- COMMAND "
    "records.</p>\n";

void begin_section(std::string_view id, std::string_view title, ByteSink* sink) {
  sink->write(
      fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-head\">\n<h2 id=\"{0}-head\">{1}</h2>\n", id, title));
}

void end_section(ByteSink* sink) { sink->write("</section>\n"); }

/// The sections of the timeline and the icicle as they are without scripts: the icicle drawn, the timeline only named.
void write_lanes_sections(const AnalysedTrace& analysed, ByteSink* sink) {
  const size_t spans = analysed.trace.spans.size();
  begin_section("timeline", "Timeline", sink);
  sink->write(
      spans == 0
          ? std::string(kNoSpans)
          : fmt::format("<p class=\"static\">The timeline of {} needs scripts; <code>xsp-report --export perfetto "
                        "TRACE</code> writes it for Perfetto’s viewer.</p>\n",
                        counted(spans, "span")));
  end_section(sink);
  begin_section("icicle", "Icicle", sink);
  const std::string drawing = analysed.study ? icicle_svg(icicle_of(*analysed.study)) : "";
  if (!drawing.empty()) {
    sink->write(fmt::format("<div class=\"static\">\n{}</div>\n", drawing));
  } else if (spans == 0) {
    sink->write(kNoSpans);
  } else {
    sink->write(
        "<p class=\"missing\">No time to draw: this trace has neither layers nor kernels of a model, which "
        "xsp-run -- COMMAND records.</p>\n");
  }
  end_section(sink);
}

/// What scripts draw there: elements `xsp-timeline` and `xsp-icicle`.
void write_packed_lanes(const AnalysedTrace& analysed, ByteSink* sink) {
  PackedData timeline("xsp-timeline", sink);
  timeline.write(timeline_json(analysed));
  timeline.finish();
  PackedData icicle("xsp-icicle", sink);
  icicle.write(icicle_json(analysed));
  icicle.finish();
}

void write_drawing(const PageDrawing& drawing, ByteSink* sink) {
  begin_section(html_text(drawing.id), html_text(drawing.title), sink);
  sink->write("<figure>\n");
  sink->write(drawing.svg);
  if (!drawing.shows.empty()) sink->write(fmt::format("<p class=\"shows\">{}</p>\n", html_text(drawing.shows)));
  sink->write("</figure>\n");
  end_section(sink);
}

/// A section behind those of the tables and drawings.
struct FurtherSection {
  std::string id;
  std::string title;
};

void write_contents(const Report& report, const std::vector<FurtherSection>& further, ByteSink* sink) {
  const auto write_link = [&](const std::string& id, const std::string& text, bool has_data) {
    sink->write(fmt::format("<li{}><a href=\"#{}\">{}</a>{}</li>\n", has_data ? "" : " class=\"empty\"", html_text(id),
                            html_text(text), has_data ? "" : " <span>no data</span>"));
  };
  sink->write("<nav id=\"contents\" aria-label=\"Contents\">\n<ul>\n");
  write_link("overview", "Overview", true);
  for (const Table& table : report.tables) {
    write_link(table.id, heading_of(table), !table.rows.empty());
  }
  for (const PageDrawing& drawing : report.drawings) write_link(drawing.id, drawing.title, true);
  for (const FurtherSection& section : further) write_link(section.id, section.title, true);
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

/// A page with the report's tables and drawings, and further sections, which `write_sections` writes behind them;
/// `write_data` writes what scripts need for these.
template <typename Sections, typename Data>
void write_page(const Report& report, const std::vector<FurtherSection>& further, const HtmlOptions& options,
                const Sections& write_sections, const Data& write_data, ByteSink* sink) {
  // Each figure is on the page twice: drawn, for those without scripts, and packed, for the scripts.
  std::vector<std::vector<Figure>> figures;  // by table
  for (const Table& table : report.tables) figures.push_back(figures_of(table));
  write_page_head(report.header.title, sink);
  sink->write("<body>\n<a class=\"skip\" href=\"#overview\">Skip to the overview</a>\n<header>\n<h1>");
  sink->write(html_text(report.header.title));
  sink->write("</h1>\n<div id=\"theme\"></div>\n</header>\n");
  write_contents(report, further, sink);
  sink->write("<main>\n");
  write_overview(report, sink);
  NotesShown shown;
  for (size_t i = 0; i < report.tables.size(); ++i) {
    write_table_section(report.tables[i], figures[i], options, &shown, sink);
  }
  for (const PageDrawing& drawing : report.drawings) write_drawing(drawing, sink);
  write_sections();
  sink->write("</main>\n");
  // Everything that is to be read comes before the scripts' data, which is most of the page, so that it can be read
  // while the rest still loads.
  {
    PackedData tables("xsp-tables", sink);
    write_packed_tables(report.tables, options.rows, &tables);
    tables.finish();
  }
  write_packed_figures(figures, sink);
  write_data();
  write_page_end(sink);
}

}  // namespace

void write_html(const Report& report, const AnalysedTrace& analysed, const HtmlOptions& options, ByteSink* sink) {
  write_page(
      report, {{"timeline", "Timeline"}, {"icicle", "Icicle"}}, options, [&] { write_lanes_sections(analysed, sink); },
      [&] { write_packed_lanes(analysed, sink); }, sink);
}

void write_html(const Report& report, const HtmlOptions& options, ByteSink* sink) {
  write_page(
      report, {}, options, [] {}, [] {}, sink);
}

}  // namespace xsp::analysis
