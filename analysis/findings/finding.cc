#include "analysis/findings/finding.h"

namespace xsp::analysis {

std::vector<Finding> findings(const Study& study, const std::vector<Table>& tables) {
  static_cast<void>(study);
  static_cast<void>(tables);
  return {};
}

}  // namespace xsp::analysis
