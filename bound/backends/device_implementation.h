#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bound/backends/backend.h"
#include "bound/backends/cuda_device.h"

namespace xsp::bound {

/// An implementation that runs on a device: it has buffers there, and its times are those that events on the stream
/// tell, without what the host needs to make the calls. Back ends write the protected part, and have
/// Candidate::make() call start().
class DeviceImplementation : public Implementation {
 public:
  explicit DeviceImplementation(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}

  /// Allocates the buffers, fills them, calls once and reads the result. An error: the library's word, or the driver's.
  Status start();

  std::vector<size_t> buffer_sizes() const final { return {}; }
  Status fill(const std::vector<PlainTensor>&, std::span<void* const>) final { return {}; }
  std::unique_ptr<BoundCall> bind(std::span<void* const>) final { return nullptr; }
  /// Of the call that start() made.
  std::vector<float> result(std::span<void* const>) final { return result_; }
  std::optional<std::vector<float>> own_samples(double budget_ns) final;
  bool has_own_cold_samples() const final { return true; }
  std::optional<std::vector<float>> own_cold_samples(double budget_ns) final;
  Status failure() const final { return failure_; }

 protected:
  const CudaDevice& device() const { return *device_; }

  /// Bytes of each buffer that a call reads or writes, workspace included; 0 is allowed. The same each time.
  virtual std::vector<size_t> device_sizes() const = 0;
  /// Fills the buffers that calls read. The others hold zeros.
  virtual Status fill_device(std::span<const cuda::DevicePointer> buffers) = 0;
  /// Puts one call onto the device's stream and does not wait for it.
  virtual Status enqueue(std::span<const cuda::DevicePointer> buffers) = 0;
  /// The result in plain row-major order; is called when the stream is idle.
  virtual Status read_device(std::span<const cuda::DevicePointer> buffers, std::vector<float>* result) = 0;

 private:
  struct Copy {
    std::vector<DeviceMemory> memory;
    std::vector<cuda::DevicePointer> addresses;
  };
  Status make_copy(Copy* copy) const;
  Status sample_hot(double budget_ns, std::vector<float>* samples);
  Status sample_cold(double budget_ns, std::vector<float>* samples);

  std::shared_ptr<CudaDevice> device_;
  Copy first_;
  std::vector<float> result_;
  Status failure_;
};

}  // namespace xsp::bound
