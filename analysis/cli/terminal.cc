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

bool wants_color(Color color, bool terminal) {
  switch (color) {
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

ReportOptions text_options(const TextChoices& choices) {
  constexpr size_t kRowsOnTerminal = 20;
  const bool terminal = choices.to_standard_output && isatty(STDOUT_FILENO) != 0;
  ReportOptions report;
  size_t rows = terminal && choices.is_text ? kRowsOnTerminal : 0;
  if (choices.is_overview) rows = kOverviewRows;
  rows = choices.top.value_or(rows);
  report.verbose = choices.verbose;
  report.top = rows == 0 ? SIZE_MAX : rows;
  if (choices.to_standard_output) report.width = terminal ? columns_of_terminal() : columns_of_environment();
  report.style.plain = choices.plain || (terminal && !has_utf8_locale());
  report.style.color = wants_color(choices.color, terminal);
  return report;
}

ReportOptions text_options(const Options& options) {
  return text_options({.to_standard_output = options.output.empty(),
                       .is_text = options.format == Format::kText,
                       .is_overview = wants_overview(options),
                       .top = options.top,
                       .verbose = options.verbose,
                       .plain = options.plain,
                       .color = options.color});
}

}  // namespace xsp::analysis
