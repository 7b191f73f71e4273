#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace xsp::bound {

enum BoundExitCode {
  kDone = 0,
  kUsage = 2,
  kBadInput = 3,
  kLacksData = 4,
  kNoOutput = 5,
  kContradiction = 6,
};

/// "xsp-bound: error: what (why)", and the hint. Returns the status's own exit code, else `otherwise`.
int complain(const Status& status, BoundExitCode otherwise);

/// The same status with this hint, where it has none.
Status with_hint(Status status, const char* hint);

/// "xsp-bound: note: TEXT".
void tell_note(std::string_view text);

/// "xsp-bound: wrote FILE (1.2 MB)".
void tell_written(const std::string& path, uint64_t bytes);

}  // namespace xsp::bound
