#include <fcntl.h>
#include <fmt/format.h>

#include "check.h"
#include "experiment/set_launch.h"
#include "launch.h"
#include "options.h"

namespace {

/// A closed stdin, stdout or stderr would let our pipes take its number. The command still sees it closed.
void occupy_standard_descriptors() {
  while (true) {
    const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd > 2 || fd < 0) {
      if (fd > 2) close(fd);
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xsp::launch;
  occupy_standard_descriptors();
  Options options;
  if (auto failure = parse_options(argc, argv, &options)) return report_failure(*failure);
  if (options.help) {
    fmt::print("{}", help_text());
    return 0;
  }
  if (options.version) {
    fmt::print("xsp-run {}\n", XSP_VERSION);
    return 0;
  }
  if (options.check) return run_check(options);
  return options.is_set() ? launch_set(options) : launch(options);
}
