#pragma once

#include <cstdint>
#include <string>

#include "collector/server/peer_permission.h"
#include "collector/writing/trace_description.h"

namespace xsp {

/// The command line, read once.
struct Options {
  std::string socket;
  int listen_fd = -1;
  int second_listen_fd = -1;
  std::string output;
  bool force = false;
  int control_fd = -1;
  int status_fd = -1;
  std::string scratch;           // where profile files may be removed
  bool empties_scratch = false;  // at the end
  std::string private_folder;    // removed at the end if the launcher, which would have removed it, is gone
  bool once = false;
  bool continuous = false;   ///< the output is a folder of parts
  uint64_t max_bytes = 0;    ///< of the trace, or of all parts; 0: no limit
  uint64_t max_rate = 0;     ///< bytes per second; 0: no limit
  uint64_t part_age_ns = 0;  ///< of a part
  std::string log_level;
  std::string log_file;
  PeerPermission permission;
  TraceSubject subject;
};

/// Reads the command line. Returns true to continue; otherwise the program must end with `exit_code`, and the user has
/// been told what is needed.
bool read_options(int argc, char** argv, Options* options, int* exit_code);

}  // namespace xsp
