#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bound/backends/cuda_api.h"
#include "bound/onnx/element_type.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// Memory of a device, freed with it. Addresses are multiples of 256.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const cuda::CudaApi* api, cuda::DevicePointer address, size_t bytes)
      : api_(api), address_(address), bytes_(bytes) {}
  ~DeviceMemory() { release(); }
  DeviceMemory(DeviceMemory&& other) noexcept { swap(&other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(&other);
    return *this;
  }

  cuda::DevicePointer address() const { return address_; }
  size_t bytes() const { return bytes_; }

 private:
  void release();
  void swap(DeviceMemory* other) {
    std::swap(api_, other->api_);
    std::swap(address_, other->address_);
    std::swap(bytes_, other->bytes_);
  }

  const cuda::CudaApi* api_ = nullptr;
  cuda::DevicePointer address_ = 0;
  size_t bytes_ = 0;
};

/// The first CUDA device that this process sees (CUDA_VISIBLE_DEVICES), with its primary context current on the thread
/// that opened it, and a stream on which all calls are made. Opened in child processes alone: a context does not
/// survive a fork.
class CudaDevice {
 public:
  /// `is_missing`: there is no driver, or no device.
  static Status open(std::shared_ptr<CudaDevice>* device, bool* is_missing);
  /// Only what it is: no context is made. `facts()` is all that may be called then.
  static Status look_at(std::shared_ptr<CudaDevice>* device, bool* is_missing);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const cuda::CudaApi& api() const { return api_; }
  /// "NVIDIA H100 80GB HBM3", isa "sm_90", multiprocessors as `cores`, memory, L2 cache, "CUDA driver 13.0".
  const SystemFacts& facts() const { return facts_; }
  /// Of the CUDA that the driver supports: "13.0".
  const std::string& cuda_version() const { return cuda_version_; }
  /// 90 for compute capability 9.0.
  int capability() const { return capability_; }
  cuda::Stream stream() const { return stream_; }
  uint64_t free_bytes() const;

  /// An error for no memory.
  Status allocate(size_t bytes, DeviceMemory* memory) const;
  /// Numbers as elements of a type (tensor_bytes.h; f8e4m3 and f8e5m2, too), rounded to nearest.
  Status upload(std::span<const float> values, ElementType type, cuda::DevicePointer to) const;
  Status upload_bytes(const void* bytes, size_t count, cuda::DevicePointer to) const;
  Status download(cuda::DevicePointer from, size_t count, ElementType type, std::vector<float>* values) const;
  Status wait() const;
  /// After `failure`: ends the process, with the error as its last word, where the context is unusable, as after an
  /// invalid address. Nothing on the device works in this process any more, and what is left is measured by another.
  void end_if_broken(const Status& failure) const;
  /// True the first time.
  bool take_first_use() { return !std::exchange(is_used_, true); }

 private:
  CudaDevice() = default;
  Status find(bool* is_missing);
  Status read_facts();
  Status make_context();

  cuda::CudaApi api_;
  cuda::Device device_ = 0;
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
  int capability_ = 0;
  bool is_used_ = false;
  std::string cuda_version_;
  SystemFacts facts_;
};

}  // namespace xsp::bound
