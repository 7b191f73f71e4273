#pragma once

#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/database/database.h"

namespace xsp::bound {

/// --merge. Errors have the exit code.
Status merge_databases(const BoundOptions& options, Database* database);

/// --list-systems, on standard output.
Status list_systems(const Database& database);

/// --export-csv.
Status export_measurements(const BoundOptions& options, const Database& database);

}  // namespace xsp::bound
