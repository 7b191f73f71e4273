#pragma once

#include <vector>

#include "base/status.h"
#include "collector/messages/guest_messages.h"
#include "collector/process/process_context.h"
#include "collector/process/process_names.h"

namespace xsp {

/// The devices that a process uses, and the counters it read on them. Used by one thread; what it is given is not owned
/// and must outlive this object.
class ProcessDevices {
 public:
  ProcessDevices(ProcessContext& context, ProcessNames& names) : context_(context), names_(names) {}

  /// Take a Device and a CounterBatch. An error says how the message contradicts itself or what limit it breaks. Both
  /// throw protozero::exception on broken protobuf.
  void receive(protozero::data_view bytes);
  Status receive_counters(protozero::data_view bytes);
  /// Writes the devices again, for a part that is read on its own.
  void write_again();

 private:
  void write(const DeviceDescription& device);

  ProcessContext& context_;
  ProcessNames& names_;
  std::vector<DeviceDescription> devices_;
};

}  // namespace xsp
