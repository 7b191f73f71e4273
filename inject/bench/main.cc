#include <fmt/format.h>

#include "inject/bench/options.h"
#include "inject/bench/sweep.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/run/standard_descriptors.h"

int main(int argc, char** argv) {
  using namespace xsp::bench;
  xsp::launch::occupy_standard_descriptors();
  Options options;
  if (const xsp::Status status = parse_options(argc, argv, &options); !status.ok())
    return xsp::launch::report_failure(status, "xsp-bench");
  if (options.help) {
    fmt::print("{}", help_text());
    return 0;
  }
  if (options.version) {
    fmt::print("xsp-bench {}\n", XSP_VERSION);
    return 0;
  }
  return sweep(options);
}
