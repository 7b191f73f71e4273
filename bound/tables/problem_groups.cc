#include "bound/tables/problem_groups.h"

#include <algorithm>
#include <map>

namespace xsp::bound {

std::vector<ProblemGroup> problem_groups(const Bounds& bounds) {
  std::map<size_t, ProblemGroup> by_problem;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    const size_t unique = bounds.model->layers[index].unique;
    if (!time.counts || !time.bound_ms || unique == kNoProblem) continue;
    ProblemGroup& group = by_problem[unique];
    if (group.layers++ == 0) group.first = index;
    group.bound_ms += *time.bound_ms;
  }
  std::vector<ProblemGroup> groups;
  for (const auto& [unique, group] : by_problem) groups.push_back(group);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const ProblemGroup& a, const ProblemGroup& b) { return a.bound_ms > b.bound_ms; });
  return groups;
}

}  // namespace xsp::bound
