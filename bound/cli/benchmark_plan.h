#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/cli/library_choice.h"
#include "bound/database/database.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// The only argument of a child that measures.
inline constexpr const char* kChildWord = "--measure-for-parent";

/// Measures what the database lacks of these problems with the chosen libraries (with --refresh all of it), and puts it
/// there. `measured`: how many benchmarks were made. Errors have the exit code.
Status measure_missing(const BoundOptions& options, const Choice& choice, const std::vector<WorkItem>& items,
                       Database* database, size_t* measured);

}  // namespace xsp::bound
