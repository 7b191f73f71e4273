#pragma once

#include <string_view>
#include <vector>

#include <simdjson.h>

#include "import/frame/profile_timeline.h"

namespace xsp::kineto {

/// What the profile says besides its events: devices, rank, clock. These members precede or follow the events.
class TraceMembers {
 public:
  /// A member of the document and its JSON, followed by simdjson's padding.
  void read(std::string_view name, std::string_view json);
  /// Passes what was read to the timeline and its processes. `first_ns` is the time of some event.
  void finish(int64_t first_ns, ProfileTimeline* timeline) const;

 private:
  void read_devices(std::string_view json);
  void read_distribution(std::string_view json);

  simdjson::ondemand::parser parser_;
  std::vector<ImportedDevice> devices_;
  std::vector<std::pair<std::string_view, std::string>> variables_;
  int64_t driver_version_ = 0;
  int64_t base_ns_ = 0;
  bool has_base_ = false;
};

}  // namespace xsp::kineto
