#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/cli/exit_code.h"
#include "base/status.h"

namespace xsp::bound {

/// Those of xsp-report, except that of --fail-if.
using enum analysis::ExitCode;

/// "xsp-bound: error: what (why)", and the hint. Returns the status's own exit code, else `otherwise`.
int complain(const Status& status, analysis::ExitCode otherwise);

/// Of an error of the database.
inline constexpr const char* kOtherDatabase = "name another database: --database FILE; --no-run only looks up";

/// The same status with this hint, where it has none.
Status with_hint(Status status, const char* hint);

/// "xsp-bound: note: TEXT".
void tell_note(std::string_view text);

/// "xsp-bound: wrote FILE (1.2 MB)".
void tell_written(const std::string& path, uint64_t bytes);

}  // namespace xsp::bound
