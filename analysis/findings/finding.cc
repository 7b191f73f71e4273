#include "analysis/findings/finding.h"

#include <algorithm>

#include "analysis/findings/families.h"

namespace xsp::analysis {

std::vector<Finding> findings(const Study& study, const std::vector<Table>& tables) {
  const Evidence evidence{study, tables};
  std::vector<Finding> found;
  add_doubts(evidence, &found);
  add_layer_findings(evidence, &found);
  add_device_findings(evidence, &found);
  add_kernel_findings(evidence, &found);
  add_iteration_findings(evidence, &found);
  add_call_findings(evidence, &found);
  add_experiment_findings(evidence, &found);
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  if (found.size() > kMostFindings) found.resize(kMostFindings);
  return found;
}

}  // namespace xsp::analysis
