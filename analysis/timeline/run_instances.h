#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/timeline/evaluations.h"

namespace xsp::analysis {

/// What a group of a set's run belongs to.
struct RunFamily {
  uint32_t family = UINT32_MAX;  // groups that differ by run and instance only; UINT32_MAX: of no set
  uint32_t run = 0;
};

/// Frameworks tell the instance of a model only where layers are recorded. Gives groups without one that of the runs
/// that tell it: the only one of their family, or, of several, the one that the other run evaluated at the same place.
/// Where the runs made other numbers of evaluations, nothing is known. `families` has an entry for each group.
void name_instances(const std::vector<RunFamily>& families, const std::function<double(uint32_t)>& duration_ns,
                    std::vector<EvaluationGroup>* groups);

/// Sets EvaluationGroup::one_of_several, which tells instances of one model apart.
void mark_instances(std::vector<EvaluationGroup>* groups);

}  // namespace xsp::analysis
