#include <string>

#include "base/standard_output.h"
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
  if (options.help || options.version) {
    const xsp::Status printed = xsp::print_text(options.help ? help_text() : "xsp-bench " XSP_VERSION "\n");
    return printed.ok() ? 0 : xsp::launch::report_failure(printed, "xsp-bench");
  }
  return sweep(options);
}
