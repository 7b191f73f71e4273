#include <fmt/format.h>

#include "check.h"
#include "experiment/set_launch.h"
#include "launch.h"
#include "options.h"
#include "standard_descriptors.h"

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
