#include "import/cli/import_progress.h"

#include <cstdio>

#include <unistd.h>

#include "base/monotonic_clock.h"
#include "base/text_encoding.h"

namespace xsp {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTerminalPeriodNs = kSecond / 5;
constexpr uint64_t kFirstLineNs = 2 * kSecond;
constexpr uint64_t kLinePeriodNs = 10 * kSecond;
constexpr double kMegabyte = 1e6;

}  // namespace

ImportProgressLine::ImportProgressLine(const std::string& input, bool quiet)
    : input_(message_text(input)),
      quiet_(quiet),
      is_terminal_(::isatty(STDERR_FILENO) != 0),
      begin_ns_(monotonic_ns()),
      next_ns_(begin_ns_ + (is_terminal_ ? kTerminalPeriodNs : kFirstLineNs)) {}

void ImportProgressLine::update(uint64_t read, uint64_t size) {
  if (quiet_) return;
  const uint64_t now = monotonic_ns();
  if (now < next_ns_) return;
  next_ns_ = now + (is_terminal_ ? kTerminalPeriodNs : kLinePeriodNs);
  const double megabytes = static_cast<double>(read) / kMegabyte;
  const double seconds = static_cast<double>(now - begin_ns_) / static_cast<double>(kSecond);
  char of_size[64] = "";
  if (size != 0) {
    std::snprintf(of_size, sizeof of_size, " of %.0f (%.0f %%)", static_cast<double>(size) / kMegabyte,
                  100.0 * static_cast<double>(read) / static_cast<double>(size));
  }
  std::fprintf(stderr, "%sxsp-import: %s: %.0f%s MB, %.0f MB/s%s", is_terminal_ ? "\r" : "", input_.c_str(), megabytes,
               of_size, megabytes / seconds, is_terminal_ ? "\x1b[K" : "\n");
  is_shown_ = is_terminal_;
}

void ImportProgressLine::clear() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

}  // namespace xsp
