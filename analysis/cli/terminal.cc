#include "analysis/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "analysis/cli/environment.h"
#include "analysis/render/overview.h"

namespace xsp::analysis {
namespace {

size_t columns_of_environment() {
  const char* text = std::getenv("COLUMNS");
  size_t columns = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), columns);
  return columns;
}

size_t columns_of_terminal() {
  winsize window = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col != 0) return window.ws_col;
  return columns_of_environment();
}

/// In the order in which the C library chooses the locale: the first that is set counts.
bool has_utf8_locale() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!is_set(variable)) continue;
    std::string name = environment_text(variable);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

bool wants_color(const Options& options, bool terminal) {
  switch (options.color) {
    case Color::kAlways:
      return true;
    case Color::kNever:
      return false;
    case Color::kAuto:
      break;
  }
  const char* type = std::getenv("TERM");
  return terminal && !is_set("NO_COLOR") && (type == nullptr || std::strcmp(type, "dumb") != 0);
}

}  // namespace

ReportOptions text_options(const Options& options) {
  constexpr size_t kRowsOnTerminal = 20;
  const bool standard_output = options.output.empty();
  const bool terminal = standard_output && isatty(STDOUT_FILENO) != 0;
  ReportOptions report;
  size_t rows = terminal && options.format == Format::kText ? kRowsOnTerminal : 0;
  if (wants_overview(options)) rows = kOverviewRows;
  rows = options.top.value_or(rows);
  report.verbose = options.verbose;
  report.top = rows == 0 ? SIZE_MAX : rows;
  if (standard_output) report.width = terminal ? columns_of_terminal() : columns_of_environment();
  report.style.plain = options.plain || (terminal && !has_utf8_locale());
  report.style.color = wants_color(options, terminal);
  return report;
}

}  // namespace xsp::analysis
