#include "collector/process/process_devices.h"

#include <algorithm>

#include "collector/messages/counter_batch.h"
#include "collector/messages/peer_limits.h"

namespace xsp {

void ProcessDevices::receive(protozero::data_view bytes) {
  DeviceDescription device = read_device(bytes);
  if (devices_.size() == kMaxDevices || std::find(devices_.begin(), devices_.end(), device) != devices_.end()) return;
  write(device);
  devices_.push_back(std::move(device));
}

Status ProcessDevices::receive_counters(protozero::data_view bytes) {
  CountedKernels batch;
  Status status = read_counted_kernels(bytes, &batch);
  if (!status.ok() || batch.names.empty()) return status;
  for (uint32_t& metric : batch.metrics) metric = names_.known(metric);
  for (uint32_t& name : batch.names) name = names_.known(name);
  context_.writer.write(context_.number, Body::kCounters, counted_kernels_capacity(batch),
                        [&](WireWriter& body) { write_counted_kernels(body, batch); });
  return status;
}

void ProcessDevices::write_again() {
  for (const auto& device : devices_) write(device);
}

void ProcessDevices::write(const DeviceDescription& device) { context_.writer.write(context_.number, device); }

}  // namespace xsp
