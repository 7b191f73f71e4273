#include "inject/launch/run/log_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/owned_fd.h"

namespace xsp::launch {
namespace {

/// The last bytes of a log, which may be large.
std::string log_tail(const std::string& log) {
  constexpr off_t kBytes = 16384;
  const OwnedFd file(open(log.c_str(), O_RDONLY | O_CLOEXEC));
  const off_t size = file ? lseek(file.get(), 0, SEEK_END) : 0;
  std::string text(static_cast<size_t>(std::min(size < 0 ? 0 : size, kBytes)), '\0');
  const ssize_t got =
      text.empty() ? 0 : pread(file.get(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return text;
}

}  // namespace

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

std::vector<std::string> last_lines(const std::string& log, size_t count) {
  constexpr size_t kWidth = 200;
  std::vector<std::string> lines;
  std::istringstream stream(log_tail(log));
  for (std::string line; std::getline(stream, line);) {
    while (line.ends_with('\r')) line.pop_back();
    // Of what a progress bar wrote over itself, the last is kept.
    if (const size_t begin = line.find_last_of('\r'); begin != std::string::npos) line.erase(0, begin + 1);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    lines.push_back(line.size() > kWidth ? line.substr(0, kWidth) + "..." : line);
    if (lines.size() > count) lines.erase(lines.begin());
  }
  return lines;
}

}  // namespace xsp::launch
