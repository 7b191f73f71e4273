#pragma once

#include <string>

#include "collector/trace_description.h"

namespace xsp {

/// The command line, read once.
struct Options {
  std::string socket;
  int listen_fd = -1;
  std::string output;
  bool force = false;
  int control_fd = -1;
  int status_fd = -1;
  std::string scratch;           // where profile files may be removed
  bool empties_scratch = false;  // at the end
  bool once = false;
  TraceSubject subject;
};

/// Reads the command line. Returns true to go on; otherwise `exit_code` is to be returned at once, and what the user
/// must know was printed.
bool read_options(int argc, char** argv, Options* options, int* exit_code);

}  // namespace xsp
