#include "collector/import/importer.h"

#include <vector>

namespace xsp {

std::span<const Importer> importers() {
  static const std::vector<Importer> all = {
      // One a line.
      kOnnxRuntimeImporter,
      kMxnetImporter,
      kStepStatsImporter,
      kXplaneImporter,
      kNsightSystemsImporter,
      kNvprofImporter,
  };
  return all;
}

}  // namespace xsp
