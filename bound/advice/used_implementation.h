#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bound/joining/joined_trace.h"
#include "bound/problems/problem.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// The benchmark of what a call used.
struct UsedImplementation {
  const Measurement* row = nullptr;      // null: there is none
  const Measurement* library = nullptr;  // some row of the library that was called, of the version that is compared
  std::string reason;                    // why there is none
};

/// Among the rows of the call's problem (Database::rows()): of the same library, the newest version first, the same
/// implementation, of cuDNN with the same knobs of the engine where it was measured with them, in the same layout where
/// it was measured in several.
UsedImplementation find_used(const JoinedTrace& trace, const TraceCall& call, const Problem& problem,
                             const std::vector<Measurement>& rows);

bool has_time(const Measurement& row);

/// Whether two names are of the same code: versions of oneDNN have renamed some.
bool is_same_implementation(std::string_view one, std::string_view other);

/// "3.10.1" is newer than "3.9".
bool is_newer_version(std::string_view version, std::string_view than);

}  // namespace xsp::bound
