#pragma once

#include <vector>

#include "base/status.h"
#include "collector/messages/guest_messages.h"
#include "collector/process/process_context.h"
#include "collector/process/process_names.h"

namespace xsp {

/// The devices that a process uses, and the counters that it read on them. One thread uses it; what it is given is not
/// owned and must live as long.
class ProcessDevices {
 public:
  ProcessDevices(ProcessContext& context, ProcessNames& names) : context_(context), names_(names) {}

  /// Take a Device and a CounterBatch. An error says how the message contradicts itself or what limit it breaks. Both
  /// throw protozero::exception on broken protobuf.
  void receive(protozero::data_view bytes);
  Status receive_counters(protozero::data_view bytes);
  /// Writes the devices once more, for a part that is read alone.
  void write_again();

 private:
  void write(const DeviceDescription& device);

  ProcessContext& context_;
  ProcessNames& names_;
  std::vector<DeviceDescription> devices_;
};

}  // namespace xsp
