#include "analysis/html/diagnosis_list.h"

#include <fmt/format.h>

#include "analysis/html/html_text.h"
#include "analysis/render/diagnosis_text.h"

namespace xsp::analysis {

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

}  // namespace xsp::analysis
