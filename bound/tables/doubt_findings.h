#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// Whether most of the bound rests on disturbed benchmarks: then nothing else is worth saying.
bool is_unusable(const Bounds& bounds);

/// What puts the bounds in doubt: layers without a time; benchmarks that something disturbed.
void find_doubts(const TimesSource& source, const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
