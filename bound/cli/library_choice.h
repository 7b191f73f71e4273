#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/database/database.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// Whose measurements count: the machine, its libraries and the number of threads.
struct Choice {
  SystemFacts system;  // of this machine, or of its GPU
  LookUp look_up;
  bool is_this_system = true;
  std::vector<std::string> notes;
};

/// What times are wanted of, where the options do not say.
enum class PreferredSystem : uint8_t {
  kAny,        // the GPU where there is one with a library, else the processor
  kProcessor,  // a trace ran there
  kGpu,        // a trace ran there; without a GPU here there are no times
};

/// This machine with the libraries that load here, or with --system one of the database with those measured there;
/// --backend and --library restrict both. Libraries that compute on the processor and on a GPU are of different
/// systems: only those of one are taken. Errors: no such system, or several; a --library that is not there; --backend
/// with libraries of both systems.
Status choose_libraries(const BoundOptions& options, const Database& database, Choice* choice,
                        PreferredSystem preferred = PreferredSystem::kAny);

}  // namespace xsp::bound
