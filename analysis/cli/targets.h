#pragma once

#include <string>

#include "analysis/cli/options.h"
#include "base/status.h"

namespace xsp::analysis {

/// Checks that all outputs go to different places, and none to an input.
Status check_targets(const Options& options);

/// Checks that the output files can be created; called before the traces are read, which may take minutes.
Status check_writable(const Options& options);

/// Checks that one file can be created or written. `option`: how the user names it, up to the name: "-o ".
Status check_output_path(const std::string& path, const std::string& option, bool may_be_folder = false);

/// How the user names the file of an export, up to the name: "--export json=".
std::string export_option(const Exporter& exporter);

/// The failure of an output. If it has no hint, it gets the one to name another file with this option ("-o ").
Status with_file_hint(Status failure, const std::string& option);

}  // namespace xsp::analysis
