#include "analysis/html/overview_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/html/html_text.h"
#include "analysis/html/table_section.h"
#include "analysis/render/render.h"
#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

void write_facts(const ReportHeader& header, ByteSink* sink) {
  if (header.facts.empty()) return;
  sink->write("<dl class=\"facts\">\n");
  for (const Fact& fact : header.facts) {
    sink->write(fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(fact.name), html_text(fact.value)));
  }
  sink->write("</dl>\n");
}

void write_losses(const ReportHeader& header, ByteSink* sink) {
  sink->write(fmt::format("<h3 id=\"losses\">{}</h3>\n", html_text(header.losses_head)));
  if (header.losses.empty()) {
    sink->write(fmt::format("<p class=\"complete\">{}</p>\n", html_text(header.complete)));
    return;
  }
  sink->write("<ul class=\"losses\">\n");
  for (const std::string& loss : header.losses) sink->write(fmt::format("<li>{}</li>\n", html_text(loss)));
  sink->write("</ul>\n");
}

/// "A6, row Conv2d".
std::string evidence_of(const Finding& finding) {
  const std::string id = html_text(finding.table);
  std::string link = fmt::format("<a class=\"evidence\" href=\"#{0}\" data-table=\"{0}\"", id);
  if (finding.column.empty()) return link + ">" + id + "</a>";
  return link + fmt::format(" data-column=\"{}\" data-key=\"{}\">{}, {}</a>", html_text(finding.column),
                            html_text(finding.key), id, html_text(finding.key));
}

/// With as many digits as sentences have: "40 %", "5.6 %", "0.042 ms"; a count is whole: "32".
std::string value_of(const Finding& finding) {
  constexpr double kWhole = 9.95;
  constexpr double kSmall = 0.95;
  const double size = std::fabs(finding.value);
  const int digits = size >= kWhole ? 0 : 1;
  const std::string number = size < kSmall ? four_digits(finding.value) : fmt::format("{:.{}f}", finding.value, digits);
  if (!finding.unit.empty()) return fmt::format("{} {}", number, finding.unit);
  return std::trunc(finding.value) == finding.value ? fmt::format("{:.0f}", finding.value) : four_digits(finding.value);
}

void write_finding(const Finding& finding, const Report& report, ByteSink* sink) {
  sink->write(fmt::format("<li data-finding=\"{}\"><data class=\"value\" value=\"{}\">{}</data>\n<p>{}",
                          html_text(finding.id), finding.value, html_text(value_of(finding)), html_text(finding.text)));
  const bool linked = std::any_of(report.tables.begin(), report.tables.end(),
                                  [&](const Table& table) { return table.id == finding.table; });
  if (linked) {
    sink->write(" ");
    sink->write(evidence_of(finding));
  }
  sink->write("</p>");
  if (!finding.advice.empty()) sink->write(fmt::format("\n<p class=\"advice\">{}</p>", html_text(finding.advice)));
  sink->write("</li>\n");
}

void write_notes(std::vector<Finding>::const_iterator begin, std::vector<Finding>::const_iterator end, ByteSink* sink) {
  if (begin == end) return;
  sink->write("<ul class=\"recording-notes\">\n");
  for (auto note = begin; note != end; ++note) {
    sink->write(fmt::format("<li data-finding=\"{}\">{}{}</li>\n", html_text(note->id), html_text(note->text),
                            note->advice.empty() ? "" : "; " + html_text(note->advice)));
  }
  sink->write("</ul>\n");
}

}  // namespace

void write_overview(const Report& report, ByteSink* sink) {
  sink->write("<section id=\"overview\" aria-labelledby=\"overview-head\">\n<h2 id=\"overview-head\">Overview</h2>\n");
  if (!report.verdict.empty()) {
    sink->write(fmt::format("<p id=\"verdict\" class=\"verdict\">{}</p>\n", html_text(report.verdict)));
  }
  if (!report.header.line.empty()) {
    sink->write(fmt::format("<p class=\"line\">{}</p>\n", html_text(report.header.line)));
  }
  sink->write("<h3 id=\"findings\">What to look at first</h3>\n");
  const auto first_note = std::find_if(report.findings.begin(), report.findings.end(),
                                       [](const Finding& finding) { return finding.is_note; });
  if (first_note == report.findings.begin()) {
    sink->write("<p class=\"without\">No table stands out.</p>\n");
  } else {
    sink->write("<ol class=\"findings\">\n");
    std::for_each(report.findings.begin(), first_note, [&](const Finding& f) { write_finding(f, report, sink); });
    sink->write("</ol>\n");
  }
  write_notes(first_note, report.findings.end(), sink);
  sink->write(fmt::format("<h3 id=\"facts\">{}</h3>\n", html_text(report.header.facts_head)));
  write_facts(report.header, sink);
  write_losses(report.header, sink);
  sink->write("</section>\n");
}

}  // namespace xsp::analysis
