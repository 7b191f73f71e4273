#include "analysis/html/page_head.h"

#include <fmt/format.h>

#include "analysis/html/embedded_assets.h"
#include "analysis/html/html_text.h"

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

}  // namespace

void write_page_head(const std::string& title, ByteSink* sink) {
  sink->write(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  sink->write(
      fmt::format("default-src 'none'; style-src '{}'; script-src '{}' '{}'; img-src data: blob:; base-uri 'none'; "
                  "form-action 'none'",
                  kPageStyleHash, kChartScriptHash, kPageScriptHash));
  // Without an icon of its own a page that is served asks for one.
  sink->write(
      fmt::format("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"generator\" content=\"XSP {}\">\n<link rel=\"icon\" href=\"data:,\">\n"
                  "<title>{}</title>\n<style>",
                  XSP_VERSION, html_text(title)));
  sink->write(kPageStyle);
  sink->write("</style>\n</head>\n");
}

void write_page_end(ByteSink* sink) {
  sink->write("<!-- Chart.js, as packaged by Debian:\n");
  sink->write(comment_text(kChartLicence));
  sink->write("\n-->\n<script>");
  sink->write(kChartScript);
  sink->write("</script>\n<script>");
  sink->write(kPageScript);
  sink->write("</script>\n</body>\n</html>\n");
}

}  // namespace xsp::analysis
