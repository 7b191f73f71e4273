#include "bound/backends/cuda_device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "base/file_text.h"
#include "bound/backends/tensor_bytes.h"

namespace xsp::bound {
namespace {

/// As a child that ends because a library ended it.
constexpr int kBrokenDevice = 3;

/// "1980000" kHz as "1.98 GHz"; empty for 0, which integrated devices tell.
std::string clock_text(int khz) { return khz <= 0 ? "" : fmt::format("{:.2f} GHz", khz / 1e6); }

/// Of NVIDIA's kernel module; empty where it is not told, as on Windows Subsystem for Linux.
std::string module_version() { return text_of_file("/sys/module/nvidia/version"); }

}  // namespace

void DeviceMemory::release() {
  if (address_ != 0) api_->free(address_);
  address_ = 0;
}

Status CudaDevice::look_at(std::shared_ptr<CudaDevice>* device, bool* is_missing) {
  const std::shared_ptr<CudaDevice> found(new CudaDevice);
  if (Status status = found->find(is_missing); !status.ok()) return status;
  if (Status status = found->read_facts(); !status.ok()) return status;
  *device = found;
  return {};
}

Status CudaDevice::open(std::shared_ptr<CudaDevice>* device, bool* is_missing) {
  std::shared_ptr<CudaDevice> found;
  if (Status status = look_at(&found, is_missing); !status.ok()) return status;
  if (Status status = found->make_context(); !status.ok()) return status;
  *device = found;
  return {};
}

CudaDevice::~CudaDevice() {
  if (stream_ != nullptr) api_.destroy_stream(stream_);
  if (context_ != nullptr) api_.release_context(device_);
}

Status CudaDevice::find(bool* is_missing) {
  if (Status status = cuda::CudaApi::open(&api_, is_missing); !status.ok()) return status;
  const cuda::Result begun = api_.init(0);
  if (begun != cuda::kSuccess) {
    *is_missing = begun == cuda::kNoDevice || begun == cuda::kStubLibrary;
    return *is_missing ? Status{"the CUDA driver sees no device", ""} : api_.status_of(begun, "cuInit");
  }
  int count = 0;
  if (Status status = api_.status_of(api_.device_count(&count), "cuDeviceGetCount"); !status.ok()) return status;
  *is_missing = count == 0;
  if (count == 0) return {"the CUDA driver sees no device", ""};
  return api_.status_of(api_.device_get(&device_, 0), "cuDeviceGet");
}

Status CudaDevice::read_facts() {
  char name[256] = "";
  if (Status status = api_.status_of(api_.device_name(name, sizeof name - 1, device_), "cuDeviceGetName");
      !status.ok()) {
    return status;
  }
  size_t memory = 0;
  if (Status status = api_.status_of(api_.device_memory(&memory, device_), "cuDeviceTotalMem"); !status.ok()) {
    return status;
  }
  int version = 0;
  if (Status status = api_.status_of(api_.driver_version(&version), "cuDriverGetVersion"); !status.ok()) return status;
  cuda_version_ = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  // What a device does not tell stays 0.
  const auto attribute = [this](int which) {
    int value = 0;
    return api_.device_attribute(&value, which, device_) == cuda::kSuccess ? std::max(value, 0) : 0;
  };
  const int major = attribute(cuda::kComputeCapabilityMajor);
  const int minor = attribute(cuda::kComputeCapabilityMinor);
  capability_ = 10 * major + minor;
  const std::string memory_clock = clock_text(attribute(cuda::kMemoryClockRate));
  const std::string module = module_version();
  facts_.device = name;
  facts_.isa = fmt::format("sm_{}{}", major, minor);
  facts_.cores = attribute(cuda::kMultiprocessorCount);
  facts_.memory_bytes = memory;
  facts_.cache_bytes = static_cast<uint64_t>(attribute(cuda::kL2CacheSize));
  facts_.driver = fmt::format("CUDA {}{}{}", cuda_version_, module.empty() ? "" : ", NVIDIA ", module);
  facts_.clocks = clock_text(attribute(cuda::kClockRate));
  if (!memory_clock.empty()) facts_.clocks += (facts_.clocks.empty() ? "memory " : ", memory ") + memory_clock;
  facts_.host_hash = this_system().host_hash;
  return {};
}

Status CudaDevice::make_context() {
  if (Status status = api_.status_of(api_.retain_context(&context_, device_), "cuDevicePrimaryCtxRetain");
      !status.ok()) {
    return status;
  }
  if (Status status = api_.status_of(api_.set_context(context_), "cuCtxSetCurrent"); !status.ok()) return status;
  return api_.status_of(api_.create_stream(&stream_, cuda::kNonBlockingStream), "cuStreamCreate");
}

uint64_t CudaDevice::free_bytes() const {
  size_t free = 0;
  size_t total = 0;
  return api_.memory_info(&free, &total) == cuda::kSuccess ? free : 0;
}

Status CudaDevice::allocate(size_t bytes, DeviceMemory* memory) const {
  *memory = DeviceMemory();
  if (bytes == 0) return {};
  cuda::DevicePointer address = 0;
  if (Status status = api_.status_of(api_.allocate(&address, bytes), "cuMemAlloc"); !status.ok()) return status;
  *memory = DeviceMemory(&api_, address, bytes);
  return {};
}

Status CudaDevice::upload(std::span<const float> values, ElementType type, cuda::DevicePointer to) const {
  if (!has_plain_bytes(type)) return {fmt::format("no values of {}", name_of(type)), ""};
  std::vector<char> bytes(values.size() * static_cast<size_t>(bytes_of(type)));
  write_elements(values, type, bytes.data());
  return upload_bytes(bytes.data(), bytes.size(), to);
}

Status CudaDevice::upload_bytes(const void* bytes, size_t count, cuda::DevicePointer to) const {
  if (count == 0) return {};
  return api_.status_of(api_.copy_to_device(to, bytes, count), "cuMemcpyHtoD");
}

Status CudaDevice::download(cuda::DevicePointer from, size_t count, ElementType type,
                            std::vector<float>* values) const {
  if (!has_plain_bytes(type)) return {fmt::format("no values of {}", name_of(type)), ""};
  std::vector<char> bytes(count * static_cast<size_t>(bytes_of(type)));
  if (count != 0) {
    const cuda::Result copied = api_.copy_to_host(bytes.data(), from, bytes.size());
    if (Status status = api_.status_of(copied, "cuMemcpyDtoH"); !status.ok()) return status;
  }
  *values = read_elements(bytes.data(), count, type);
  return {};
}

Status CudaDevice::wait() const { return api_.status_of(api_.wait_for_stream(stream_), "cuStreamSynchronize"); }

void CudaDevice::end_if_broken(const Status& failure) const {
  if (failure.ok()) return;
  const Status state = wait();
  if (state.ok()) return;
  std::fprintf(stderr, "%s\n", failure.error.c_str());
  std::fflush(stderr);
  // No destructors: those of libraries would wait for the device.
  _exit(kBrokenDevice);
}

}  // namespace xsp::bound
