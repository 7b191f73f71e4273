/// Profiles of XLA (*.xplane.pb), which TensorFlow 2 and JAX write: an XSpace in protobuf's binary form.

#include <algorithm>
#include <vector>

#include "import/frame/importer.h"
#include "import/tensorflow/whole_input.h"
#include "import/tensorflow/wire_fields.h"
#include "import/tensorflow/xplane.h"
#include "import/tensorflow/xplane_devices.h"
#include "import/tensorflow/xplane_hosts.h"

namespace xsp {
namespace {

// Field numbers of XSpace and XPlane.
constexpr uint32_t kPlanes = 1;
constexpr uint32_t kErrors = 2;
constexpr uint32_t kWarnings = 3;
constexpr uint32_t kHostnames = 4;
constexpr uint32_t kPlaneName = 2;

constexpr uint64_t kMaxMessages = 16;
constexpr std::string_view kEnvironment = "Task Environment";
/// Times of a profile count from its beginning, or from 1970: if later than this (1973), from 1970.
constexpr int64_t kFirstRealtimeNs = 100'000'000'000'000'000;

bool is_plane_name(std::string_view name) {
  return name.starts_with("/host:") || name.starts_with("/device:") || name == kEnvironment ||
         name.starts_with("#Chip");
}

int recognise_xplane(std::string_view head) {
  WireFields space(head);
  if (!space.next() || space.number() != kPlanes || space.is_scalar()) return 0;
  WireFields plane(space.payload());
  while (plane.next()) {
    if (plane.number() == kPlaneName && !plane.is_scalar()) return is_plane_name(plane.payload()) ? 90 : 0;
    if (!plane.is_scalar()) return 0;
  }
  return 0;
}

class Space {
 public:
  explicit Space(ProfileTimeline* timeline) : timeline_(timeline), hosts_(timeline), devices_(timeline) {}

  /// False: cut off or damaged.
  bool read(std::string_view bytes) {
    WireFields fields(bytes);
    while (fields.next()) {
      if (fields.is_scalar()) continue;
      switch (fields.number()) {
        case kPlanes:
          planes_.emplace_back();
          if (!planes_.back().read(fields.payload())) ++damaged_planes_;
          break;
        case kErrors:
        case kWarnings:
          if (++messages_ <= kMaxMessages) timeline_->note("XLA's profiler: " + std::string(fields.payload()));
          break;
        case kHostnames:
          timeline_->set_hostname(fields.payload());
          break;
        default:
          break;
      }
    }
    // A plane may lack its process: then it belongs to that of the others.
    for (const XPlane& plane : planes_) {
      if (process_ == 0) process_ = process_of(plane);
    }
    for (const XPlane& plane : planes_) add_plane(plane);
    planes_.clear();
    return !fields.is_damaged();
  }

  bool is_empty() const { return hosts_.spans() == 0 && devices_.executions() == 0; }

  void finish() {
    hosts_.finish(devices_.executions() != 0);
    devices_.finish();
    const int64_t first_ns = std::min(hosts_.first_ns(), devices_.first_ns());
    if (first_ns >= kFirstRealtimeNs) {
      timeline_->set_realtime_origin(0);
    } else if (start_ns_ > 0) {
      timeline_->set_realtime_origin(start_ns_);
    }
    // Picoseconds are truncated.
    timeline_->set_resolution(1);
    if (damaged_events_ != 0) timeline_->note("event that cannot be read", damaged_events_);
    if (damaged_planes_ != 0) timeline_->note("plane that is damaged or cut off", damaged_planes_);
    if (aggregated_ != 0) timeline_->note("event that is a sum and has no time", aggregated_);
  }

 private:
  uint32_t process_of(const XPlane& plane) const {
    const int64_t id = plane.integer("process_id").value_or(process_);
    return id > 0 && id <= UINT32_MAX ? static_cast<uint32_t>(id) : process_;
  }

  void add_plane(const XPlane& plane) {
    const uint32_t process = process_of(plane);
    if (plane.name() == kEnvironment) {
      start_ns_ = plane.integer("profile_start_time").value_or(0);
    } else if (plane.name().starts_with("/host:")) {
      hosts_.add_plane(plane, process, &damaged_events_, &aggregated_);
    } else if (gpu_of_plane(plane.name()) >= 0) {
      devices_.add_plane(plane, process, &damaged_events_, &aggregated_);
    } else if (!plane.lines().empty()) {
      if (++other_planes_ <= kMaxMessages) timeline_->note("plane that is not read, " + std::string(plane.name()), 0);
    }
  }

  ProfileTimeline* timeline_;
  XplaneHosts hosts_;
  XplaneDevices devices_;
  std::vector<XPlane> planes_;
  uint32_t process_ = 0;
  int64_t start_ns_ = 0;
  uint64_t messages_ = 0;
  uint64_t other_planes_ = 0;
  uint64_t damaged_planes_ = 0;
  uint64_t damaged_events_ = 0;
  uint64_t aggregated_ = 0;
};

Status read_xplane(ProfileInput& input, ProfileTimeline* timeline) {
  std::string bytes;
  if (Status status = read_whole(input, timeline, &bytes); !status.ok()) return status;
  Space space(timeline);
  const bool is_whole = space.read(bytes);
  const std::string place = "cut off or damaged, at byte " + std::to_string(bytes.size());
  if (space.is_empty()) {
    return Status{"no event of an XPlane profile in it" + (is_whole ? "" : " (" + place + ")")};
  }
  space.finish();
  if (!is_whole) timeline->note(place + "; what stands before was read");
  return Status();
}

}  // namespace

const Importer kXplaneImporter = {"xplane", "XPlane profiles of TensorFlow 2 and JAX (*.xplane.pb)", recognise_xplane,
                                  read_xplane};

}  // namespace xsp
