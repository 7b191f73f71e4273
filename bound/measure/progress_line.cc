#include "bound/measure/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/monotonic_clock.h"
#include "base/text_encoding.h"

namespace xsp::bound {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr uint64_t kTerminalPeriodNs = kSecondNs / 5;
constexpr uint64_t kFirstLineNs = 2 * kSecondNs;
constexpr uint64_t kLinePeriodNs = 10 * kSecondNs;
constexpr size_t kLeastProblemWidth = 12;
constexpr char kProgram[] = "xsp-bound: ";

size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string time_left(double seconds) {
  if (seconds <= 0) return {};
  if (seconds < 100) return fmt::format(", about {:.0f} s left", std::max(std::ceil(seconds), 1.0));
  if (seconds < 100 * 60) return fmt::format(", about {:.0f} min left", std::ceil(seconds / 60));
  return fmt::format(", about {:.0f} h left", std::ceil(seconds / 3600));
}

}  // namespace

std::string progress_text(const BenchmarkProgress& progress, size_t width) {
  const std::string front = fmt::format("[{}/{}] ", progress.done, progress.all);
  std::string problem;
  std::string back = time_left(progress.left_s);
  if (progress.current != nullptr) {
    const Library& library = *progress.current->library;
    problem = terminal_text(progress.current->item->problem);
    back = printable(fmt::format(", {} {}", library.name, library.version)) + back;
  }
  if (width == 0) return front + problem + back;
  const size_t others = display_width(front) + display_width(back);
  const size_t room = width > others ? width - others : 0;
  return shorten(front + shorten(problem, std::max(room, kLeastProblemWidth)) + back, width);
}

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      next_ns_(monotonic_ns() + (is_terminal_ ? 0 : kFirstLineNs)) {}

void ProgressLine::update(const BenchmarkProgress& progress) {
  if (quiet_ || progress.current == nullptr) return;
  const uint64_t now = monotonic_ns();
  if (now < next_ns_) return;
  next_ns_ = now + (is_terminal_ ? kTerminalPeriodNs : kLinePeriodNs);
  if (!is_terminal_) {
    std::fprintf(stderr, "%s%s\n", kProgram, progress_text(progress, 0).c_str());
    return;
  }
  // The last column stays free: some terminals go to the next line behind it.
  const size_t width = std::max(terminal_width(), sizeof kProgram + 10) - sizeof kProgram;
  std::fprintf(stderr, "\r%s%s\x1b[K", kProgram, progress_text(progress, width).c_str());
  is_shown_ = true;
}

void ProgressLine::clear() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

}  // namespace xsp::bound
