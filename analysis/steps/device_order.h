#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Kernels, copies and memsets by the device that they ran on, in order of begin.
class DeviceOrder {
 public:
  explicit DeviceOrder(const Trace& trace);

  /// Indices in Trace::executions of what ran on a device that a process sees under this number, whoever launched it.
  /// Within a recording, devices with equal UUIDs are the same. If UUIDs are not known: an imported profile numbers
  /// devices as the machine does, so all its processes count; two processes that XSP recorded may see two devices under
  /// one number, so each counts for itself.
  const std::vector<uint32_t>& on(uint32_t process, uint32_t device) const;

  /// The first of them that may run at a time or later.
  size_t first_at(const std::vector<uint32_t>& on_device, int64_t time) const;

  /// From the begin of the first to the end of the last span of a process; empty where nothing ran on a device.
  TimeInterval recorded(uint32_t process) const;

  /// From the begin of the first to the end of the last kernel, copy or memset of a process; empty where it ran none.
  TimeInterval used(uint32_t process) const;

  /// The devices on which a process ran something.
  std::vector<uint32_t> devices_of(uint32_t process) const;

 private:
  using Key = std::pair<uint64_t, uint32_t>;  // owner and device

  Key key_of(uint32_t process, uint32_t device) const;

  const Trace& trace_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;  // of UUIDs, by process and device
  std::map<Key, std::vector<uint32_t>> executions_;
  std::map<uint32_t, std::set<uint32_t>> devices_;  // by process
  std::vector<TimeInterval> recorded_;              // likewise
  std::vector<TimeInterval> used_;                  // likewise
  int64_t longest_ns_ = 0;
};

}  // namespace xsp::analysis
