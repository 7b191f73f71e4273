#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/frame/profile_input.h"
#include "import/frame/profile_timeline.h"

namespace xsp {

/// One format that xsp-import reads.
struct Importer {
  std::string_view name;         // for --from: "kineto"
  std::string_view description;  // for the help
  /// How likely the first bytes (decompressed, at least 64 KiB of a longer file) make it that the input has this
  /// format; 0: it has not. The importer with the highest value reads it.
  int (*recognise)(std::string_view head);
  /// Reads the input into the timeline. An error means that nothing usable was found; damage after a usable part
  /// becomes a note of the timeline.
  Status (*read)(ProfileInput& input, ProfileTimeline* timeline);
};

// One per format, in the folder of its tool.
extern const Importer kKinetoImporter;
extern const Importer kNsightSystemsImporter;
extern const Importer kNvprofImporter;
extern const Importer kOnnxRuntimeImporter;
extern const Importer kMxnetImporter;
extern const Importer kStepStatsImporter;
extern const Importer kXplaneImporter;
extern const Importer kJaegerImporter;
extern const Importer kOtlpImporter;

}  // namespace xsp
