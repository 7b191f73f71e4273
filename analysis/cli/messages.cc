#include "analysis/cli/messages.h"

#include <algorithm>
#include <cstdio>

#include "analysis/tables/loss_notes.h"
#include "base/log.h"
#include "base/text_encoding.h"

namespace xsp::analysis {

void complain(const Status& status) {
  log::error(status.error);
  std::fprintf(stderr, "xsp-report: error: %s\n", printable(status.error).c_str());
  if (!status.hint.empty()) std::fprintf(stderr, "hint: %s\n", printable(status.hint).c_str());
}

void warn(const Options& options, const Trace& trace) {
  if (options.quiet || options.summary) return;
  for (const std::string& warning : input_warnings(trace)) {
    std::fprintf(stderr, "xsp-report: warning: %s\n", printable(warning).c_str());
    log::warning(warning);
  }
}

void tell_written(const Options& options, const std::string& path, uint64_t bytes) {
  log::info("wrote " + path + ", " + std::to_string(bytes) + " bytes");
  if (options.quiet || path == "-") return;
  const auto size = static_cast<double>(bytes);
  const bool large = size >= 1e6;
  std::fprintf(stderr, "xsp-report: wrote %s (%.1f %s)\n", printable(path).c_str(), size / (large ? 1e6 : 1e3),
               large ? "MB" : "kB");
}

void tell_note(const Options& options, std::string_view text) {
  if (!options.quiet) std::fprintf(stderr, "xsp-report: note: %s\n", printable(text).c_str());
}

ExitCode tell_failures(const Options& options, const Outcome& outcome) {
  constexpr size_t kLines = 20;
  ExitCode code = kDone;
  for (size_t i = 0; i < outcome.checks.size(); ++i) {
    const FailCheck& check = outcome.checks[i];
    const auto tell = [&](const char* verdict, const std::vector<std::string>& rows) {
      for (size_t row = 0; row < std::min(rows.size(), kLines); ++row) {
        std::fprintf(stderr, "xsp-report: --fail-if '%s' %s: %s\n", printable(options.fail_if[i].text).c_str(), verdict,
                     printable(rows[row]).c_str());
      }
      if (rows.size() > kLines) std::fprintf(stderr, "… and in %zu more rows\n", rows.size() - kLines);
    };
    tell("holds", check.holds);
    tell("cannot be judged", check.unknown);
    if (!check.holds.empty()) code = kFails;
    if (!check.unknown.empty() && code == kDone) code = kLacksData;
  }
  return code;
}

}  // namespace xsp::analysis
