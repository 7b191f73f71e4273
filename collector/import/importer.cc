#include "collector/import/importer.h"

#include <vector>

namespace xsp {

std::span<const Importer> importers() {
  static const std::vector<Importer> all = {
      // One a line, in the order of the help.
      kNsightSystemsImporter,
      kNvprofImporter,
      kJaegerImporter,
      kOtlpImporter,
  };
  return all;
}

}  // namespace xsp
