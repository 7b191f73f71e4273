#include "analysis/html/pattern_list.h"

#include <fmt/format.h>

#include <vector>

#include "analysis/html/html_text.h"
#include "analysis/render/pattern_outline.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostLines = 400;
constexpr size_t kOpenLines = 60;  // of a pattern that is shown opened
constexpr size_t kNameWidth = 100;
constexpr size_t kTitleWidth = 600;

std::string name_of(const PatternLine& line) {
  const std::string whole = printable(line.what);
  const std::string shown = shorten(whole, kNameWidth);
  if (shown.size() == whole.size()) return fmt::format("<code>{}</code>", html_text(shown));
  return fmt::format("<code title=\"{}\">{}</code>", html_text(shorten(whole, kTitleWidth)), html_text(shown));
}

}  // namespace

bool is_pattern(const Table& part) { return !pattern_outline(part, 2).empty(); }

void write_pattern_list(const Table& part, ByteSink* sink) {
  const std::vector<PatternLine> lines = pattern_outline(part, kMostLines);
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

}  // namespace xsp::analysis
