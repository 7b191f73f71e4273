#include "inject/launch/counters/counter_announcement.h"

#include <fmt/format.h>

#include "inject/launch/counters/counter_probe.h"
#include "inject/launch/run/cupti_search.h"

namespace xsp::launch {
namespace {

/// Of devices that are the same, one.
bool is_told(const std::vector<CountableDevice>& devices, size_t index) {
  for (size_t i = 0; i < index; ++i) {
    if (devices[i].chip == devices[index].chip && devices[i].problem == devices[index].problem) return true;
  }
  return false;
}

}  // namespace

CounterAnnouncement announce_counters(const Options& options) {
  const CounterProbe probe = probe_counters(find_cupti({}).path, options.metrics);
  CounterAnnouncement announcement{{}, probe.has_device};
  std::vector<std::string>& lines = announcement.lines;
  if (!probe.has_device) {
    lines.push_back(fmt::format("xsp: counters: none: {}", probe.problem));
    return announcement;
  }
  if (!probe.problem.empty()) {
    lines.push_back(fmt::format("xsp: counters: passes cannot be told beforehand ({})", probe.problem));
  }
  for (size_t i = 0; i < probe.devices.size(); ++i) {
    const CountableDevice& device = probe.devices[i];
    if (is_told(probe.devices, i)) continue;
    if (!device.problem.empty()) {
      lines.push_back(fmt::format("xsp: counters: none on {}: {}", device.chip, device.problem));
      continue;
    }
    lines.push_back(fmt::format("xsp: counters: {}: each is run {} alone{}", passes_text(device),
                                device.passes == 1 ? "once," : fmt::format("{} times,", device.passes),
                                options.metrics_only ? "" : ", in a second run of the command"));
    if (!device.left_out.empty()) {
      lines.push_back(fmt::format("xsp: counters: not known on {}: {}", device.chip, device.left_out));
    }
  }
  if (const std::string restriction = counter_restriction(); !restriction.empty()) {
    lines.push_back("xsp: counters: probably refused: " + restriction);
  }
  return announcement;
}

}  // namespace xsp::launch
