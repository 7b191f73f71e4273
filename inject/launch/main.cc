#include <exception>
#include <new>
#include <string>

#include "base/log.h"
#include "base/standard_output.h"
#include "base/uncaught_exception.h"
#include "inject/launch/check/check.h"
#include "inject/launch/experiment/set_launch.h"
#include "inject/launch/launch.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/options/options.h"
#include "inject/launch/run/standard_descriptors.h"

namespace {

using namespace xsp::launch;

int run_program(int argc, char** argv) {
  Options options;
  if (const xsp::Status status = parse_options(argc, argv, &options); !status.ok()) return report_failure(status);
  if (options.help || options.version) {
    const xsp::Status printed = xsp::print_text(options.help ? help_text() : "xsp-run " XSP_VERSION "\n");
    return printed.ok() ? 0 : report_failure(printed);
  }
  if (const xsp::Status logs = xsp::log::configure("xsp-run", options.log_level, options.log_file); !logs.ok()) {
    return report_failure(logs);
  }
  if (options.check) return run_check(options);
  return options.is_set() ? launch_set(options) : launch(options);
}

/// Also in a child that has not become its program yet.
[[noreturn]] void end_by_exception() { xsp::end_by_uncaught_exception("xsp-run", "out of memory", kExitOwnFailure); }

/// Before the objects of other files are made, which takes memory too.
[[gnu::constructor(101)]] void prepare_for_lack_of_memory() { std::set_terminate(end_by_exception); }

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    return report_out_of_memory();
  }
}
