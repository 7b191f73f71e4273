#include "inject/launch/run/sent_trace.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/shell_words.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/end_message.h"

namespace xsp::launch {

Status check_otlp(const std::string& url, const InstallLayout& layout) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    return {"--otlp: there is no TLS here", "a collector on this machine sends on: --otlp http://localhost:4318"};
  }
  if (!url.starts_with(kScheme) || url.size() == kScheme.size()) {
    return {fmt::format("--otlp: \"{}\" is no URL of HTTP", url), "for example http://localhost:4318"};
  }
  if (layout.report.empty()) {
    return {"--otlp: xsp-report, which sends, was not found beside xsp-run",
            "the installation is not whole, or XSP_REPORT names a file that is not there"};
  }
  return {};
}

void send_trace(const std::string& report, const std::string& trace, const std::string& url, bool quiet) {
  std::vector<std::string> command = {report, trace, "--otlp", url};
  if (quiet) command.emplace_back("--quiet");
  if (captured_output(command, false)) return;
  print_lines(
      {"xsp: not everything was sent; again:", report_command(report, trace) + " --otlp " + shell_command({url})});
}

void send_outcome(const std::string& report, const TraceOutcome& outcome, const std::string& url, bool quiet) {
  if (!outcome.is_finished()) {
    print_lines({"xsp: nothing was sent: there is no whole trace"});
  } else if (outcome.status.spans == 0) {
    print_lines({"xsp: nothing was sent: no spans were recorded"});
  } else {
    send_trace(report, outcome.output, url, quiet);
  }
}

}  // namespace xsp::launch
