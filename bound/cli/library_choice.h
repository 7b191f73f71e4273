#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/database/database.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// Whose measurements count: the machine, its libraries and the number of threads.
struct Choice {
  SystemFacts system;  // of this machine
  LookUp look_up;
  bool is_this_system = true;
  std::vector<std::string> notes;
};

/// This machine with the libraries that load here, or with --system one of the database with those measured there;
/// --backend and --library restrict both. Errors: no such system, or several; a --library that is not there.
Status choose_libraries(const BoundOptions& options, const Database& database, Choice* choice);

}  // namespace xsp::bound
