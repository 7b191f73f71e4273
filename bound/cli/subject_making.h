#pragma once

#include "base/status.h"
#include "bound/cli/bound_inputs.h"
#include "bound/cli/bound_options.h"
#include "bound/database/database.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// With --times: nothing is measured or looked up. Errors have the exit code.
Status subject_of_given_times(const BoundOptions& options, const BoundInputs& inputs, BoundSubject* subject);

/// Measures what the database lacks, unless --no-run, then looks everything up. Errors have the exit code.
Status subject_of_benchmarks(const BoundOptions& options, const BoundInputs& inputs, Database* database,
                             BoundSubject* subject);

}  // namespace xsp::bound
