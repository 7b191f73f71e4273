#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "bound/backends/cuda_device.h"

namespace xsp::bound {

/// Times what is put on a device's stream, by events around it. A host that puts small kernels there more slowly than
/// the device runs them would be timed instead: therefore the stream is held until all is there.
class DeviceTimer {
 public:
  static Status make(const CudaDevice& device, std::unique_ptr<DeviceTimer>* timer);
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  /// Time of the device for what `enqueue` puts on its stream, after what `before` does. Resolution: 500 ns.
  Status time(const std::function<Status()>& before, const std::function<Status()>& enqueue, double* ns);

 private:
  /// Where a stream waits for the host. Gives up after a while: a call that waits for the device would wait forever.
  struct Gate {
    std::atomic<bool> is_open{false};
    std::atomic<bool> has_given_up{false};
  };

  explicit DeviceTimer(const CudaDevice& device) : device_(device) {}
  static void wait_at(void* gate);
  Status time_once(const std::function<Status()>& before, const std::function<Status()>& enqueue, double* ns);

  const CudaDevice& device_;
  cuda::Event begin_ = nullptr;
  cuda::Event end_ = nullptr;
  bool uses_gate_ = true;
};

}  // namespace xsp::bound
