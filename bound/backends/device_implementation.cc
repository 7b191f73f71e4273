#include "bound/backends/device_implementation.h"

#include <algorithm>
#include <cmath>

#include "base/monotonic_clock.h"
#include "bound/backends/device_timer.h"

namespace xsp::bound {
namespace {

// As those of calls on the processor (measure/sampling.h).
constexpr double kDeviceSampleNs = 0.1e6;
constexpr size_t kLeastDeviceSamples = 5;
constexpr size_t kMostDeviceSamples = 400;
constexpr double kMostDeviceBudgets = 10;

/// Of a sample. A stream holds about a thousand kernels, and a call may be several: where no more fit, the host waits.
constexpr size_t kMostDeviceCalls = 256;
constexpr size_t kMostDeviceCopies = 64;
constexpr double kDeviceMemoryShare = 0.25;  // of the memory that is free, for copies
/// In front of the first samples of a process: until then the clocks of an idle device have risen.
constexpr double kFirstWarmUpNs = 100e6;
/// Of a device that does not tell its own.
constexpr uint64_t kUsualDeviceCache = uint64_t{64} << 20;

Status nothing_before() { return {}; }

/// Samples until the limits end it; each is of `calls` calls.
Status take_device_samples(DeviceTimer* timer, const std::function<Status()>& before,
                           const std::function<Status()>& enqueue, size_t calls, double budget_ns,
                           std::vector<float>* samples) {
  const uint64_t begin = monotonic_ns();
  while (samples->size() < kMostDeviceSamples) {
    double ns = 0;
    if (Status status = timer->time(before, enqueue, &ns); !status.ok()) return status;
    samples->push_back(static_cast<float>(ns / static_cast<double>(calls)));
    const auto spent = static_cast<double>(monotonic_ns() - begin);
    if (spent >= kMostDeviceBudgets * budget_ns) break;
    if (samples->size() >= kLeastDeviceSamples && spent >= budget_ns) break;
  }
  return {};
}

}  // namespace

Status DeviceImplementation::make_copy(Copy* copy) const {
  for (const size_t bytes : device_sizes()) {
    DeviceMemory memory;
    if (Status status = device_->allocate(bytes, &memory); !status.ok()) return status;
    const cuda::CudaApi& api = device_->api();
    if (bytes != 0) {
      const cuda::Result cleared = api.set_bytes(memory.address(), 0, bytes, device_->stream());
      if (Status status = api.status_of(cleared, "cuMemsetD8Async"); !status.ok()) return status;
    }
    copy->addresses.push_back(memory.address());
    copy->memory.push_back(std::move(memory));
  }
  return device_->wait();
}

Status DeviceImplementation::start() {
  Status status = make_copy(&first_);
  if (status.ok()) status = fill_device(first_.addresses);
  if (status.ok()) status = enqueue(first_.addresses);
  if (status.ok()) status = device_->wait();
  if (status.ok()) status = read_device(first_.addresses, &result_);
  device_->end_if_broken(status);
  return status;
}

std::optional<std::vector<float>> DeviceImplementation::own_samples(double budget_ns) {
  std::vector<float> samples;
  failure_ = sample_hot(budget_ns, &samples);
  device_->end_if_broken(failure_);
  if (!failure_.ok()) samples.clear();
  return samples;
}

std::optional<std::vector<float>> DeviceImplementation::own_cold_samples(double budget_ns) {
  std::vector<float> samples;
  failure_ = sample_cold(budget_ns, &samples);
  device_->end_if_broken(failure_);
  if (!failure_.ok()) samples.clear();
  return samples;
}

Status DeviceImplementation::sample_hot(double budget_ns, std::vector<float>* samples) {
  std::unique_ptr<DeviceTimer> timer;
  if (Status status = DeviceTimer::make(*device_, &timer); !status.ok()) return status;
  size_t calls = 1;
  const auto enqueue_calls = [&]() -> Status {
    for (size_t i = 0; i < calls; ++i) {
      if (Status status = enqueue(first_.addresses); !status.ok()) return status;
    }
    return {};
  };
  const uint64_t begin = monotonic_ns();
  const double warm_up_ns = device_->take_first_use() ? std::min(kFirstWarmUpNs, budget_ns) : 0;
  while (true) {
    double ns = 0;
    if (Status status = timer->time(nothing_before, enqueue_calls, &ns); !status.ok()) return status;
    const bool is_enough = ns >= kDeviceSampleNs || calls == kMostDeviceCalls;
    if (is_enough && static_cast<double>(monotonic_ns() - begin) >= warm_up_ns) break;
    if (is_enough) continue;
    const double wanted = std::ceil(1.05 * static_cast<double>(calls) * kDeviceSampleNs / std::max(ns, 1.0));
    calls = static_cast<size_t>(std::clamp(wanted, static_cast<double>(calls + 1), double{kMostDeviceCalls}));
  }
  return take_device_samples(timer.get(), nothing_before, enqueue_calls, calls, budget_ns, samples);
}

Status DeviceImplementation::sample_cold(double budget_ns, std::vector<float>* samples) {
  std::unique_ptr<DeviceTimer> timer;
  if (Status status = DeviceTimer::make(*device_, &timer); !status.ok()) return status;
  const cuda::CudaApi& api = device_->api();
  // What is written last is what the cache holds.
  const uint64_t cache = device_->facts().cache_bytes;
  DeviceMemory eviction;
  if (Status status = device_->allocate(2 * (cache == 0 ? kUsualDeviceCache : cache), &eviction); !status.ok()) {
    return status;
  }
  const auto evict = [&] {
    const cuda::Result set = api.set_bytes(eviction.address(), 0, eviction.bytes(), device_->stream());
    return api.status_of(set, "cuMemsetD8Async");
  };
  double once_ns = 0;
  const auto enqueue_first = [this] { return enqueue(first_.addresses); };
  if (Status status = timer->time(nothing_before, enqueue_first, &once_ns); !status.ok()) return status;

  const std::vector<size_t> sizes = device_sizes();
  double bytes = 1;
  for (const size_t size : sizes) bytes += static_cast<double>(size);
  const double room = kDeviceMemoryShare * static_cast<double>(device_->free_bytes()) / bytes;
  const double wanted = std::ceil(kDeviceSampleNs / std::max(once_ns, 1.0));
  const auto count = static_cast<size_t>(std::clamp(std::min(wanted, room + 1), 1.0, double{kMostDeviceCopies}));
  std::vector<Copy> copies(count - 1);
  for (Copy& copy : copies) {
    if (Status status = make_copy(&copy); !status.ok()) return status;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0) continue;
      const cuda::Result copied =
          api.copy_on_device(copy.addresses[i], first_.addresses[i], sizes[i], device_->stream());
      if (Status status = api.status_of(copied, "cuMemcpyDtoDAsync"); !status.ok()) return status;
    }
  }
  const auto enqueue_all = [&]() -> Status {
    if (Status status = enqueue_first(); !status.ok()) return status;
    for (const Copy& copy : copies) {
      if (Status status = enqueue(copy.addresses); !status.ok()) return status;
    }
    return {};
  };
  double warm_up_ns = 0;
  if (Status status = timer->time(evict, enqueue_all, &warm_up_ns); !status.ok()) return status;
  return take_device_samples(timer.get(), evict, enqueue_all, count, budget_ns, samples);
}

}  // namespace xsp::bound
