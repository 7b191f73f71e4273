#pragma once

#include <cstdint>
#include <string_view>

namespace xsp {

/// What of a device's work is recorded: bits of Settings::activities.
enum Activities : uint8_t {
  kKernelActivities = 1,
  kCopyActivities = 2,
  kSetActivities = 4,
  kSynchronizationActivities = 8,
  kMemoryActivities = 16,
  kOverheadActivities = 32,
};
inline constexpr uint8_t kDefaultActivities =
    kKernelActivities | kCopyActivities | kSetActivities | kOverheadActivities;

struct ActivityName {
  std::string_view name;
  Activities bit;
};
/// As --activities and XSP_ACTIVITIES name them.
inline constexpr ActivityName kActivityNames[] = {
    {"kernel", kKernelActivities},        {"memcpy", kCopyActivities},   {"memset", kSetActivities},
    {"sync", kSynchronizationActivities}, {"memory", kMemoryActivities}, {"overhead", kOverheadActivities},
};

/// Bits of a list of names separated by commas. `unknown` (may be null) becomes the first word that is no name.
constexpr uint8_t activities_named(std::string_view list, std::string_view* unknown) {
  uint8_t bits = 0;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    uint8_t found = 0;
    for (const ActivityName& known : kActivityNames) {
      if (word == known.name) found = known.bit;
    }
    if (found == 0 && unknown != nullptr && unknown->data() == nullptr) *unknown = word;
    bits = static_cast<uint8_t>(bits | found);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return bits;
}

}  // namespace xsp
