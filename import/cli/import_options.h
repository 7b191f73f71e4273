#pragma once

#include <string>
#include <vector>

#include "import/writing/timeline_writer.h"

namespace xsp {

/// The command line of xsp-import, read once.
struct ImportOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string format = "auto";
  bool force = false;
  bool strict = false;
  bool quiet = false;
  std::string log_level;
  std::string log_file;
  ImportChoices choices;
};

/// Reads the command line. Returns true to continue; otherwise `exit_code` is to be returned at once, and the user has
/// been told what is needed.
bool read_import_options(int argc, char** argv, ImportOptions* options, int* exit_code);

}  // namespace xsp
