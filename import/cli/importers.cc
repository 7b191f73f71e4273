#include "import/cli/importers.h"

#include <vector>

namespace xsp {

std::span<const Importer> importers() {
  static const std::vector<Importer> all = {
      // In the order of the help.
      kKinetoImporter, kNsightSystemsImporter, kNvprofImporter, kOnnxRuntimeImporter, kStepStatsImporter,
      kXplaneImporter, kMxnetImporter,         kJaegerImporter, kOtlpImporter,
  };
  return all;
}

}  // namespace xsp
