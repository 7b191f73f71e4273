/// Runs a libFuzzer entry over the files of its corpus, once each: what was once found, and what leads into every part
/// of the parser, is looked at by every build. Arguments: folders or files.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxSeconds = 60;  // for one input, by a sanitizer's build on a busy machine

char current[512];
int messages = STDERR_FILENO;

void say_which(int signal) {
  char text[600];
  const int size = std::snprintf(text, sizeof text, "signal %d at %s\n", signal, current);
  (void)!::write(messages, text, static_cast<size_t>(size));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<fs::path> files_of(const fs::path& path) {
  std::vector<fs::path> files;
  if (!fs::is_directory(path)) return {path};
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  size_t count = 0;
  for (const int signal : {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, say_which);
  // What is fuzzed may print; a test's log is for its end.
  messages = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : files_of(argv[i])) {
      std::snprintf(current, sizeof current, "%s", path.c_str());
      std::ifstream file(path, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      ::alarm(kMaxSeconds);
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      ++count;
    }
  }
  ::alarm(0);
  std::printf("%zu inputs\n", count);
  if (count == 0) std::fprintf(stderr, "no inputs\n");
  std::fflush(nullptr);
  ::_exit(count == 0 ? 1 : 0);  // threads of what is fuzzed may still run
}
