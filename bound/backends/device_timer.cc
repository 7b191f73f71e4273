#include "bound/backends/device_timer.h"

#include <sched.h>

#include "base/monotonic_clock.h"

namespace xsp::bound {
namespace {

/// Longer than it takes to put a sample's calls on the stream.
constexpr uint64_t kGateLimitNs = 200'000'000;

}  // namespace

Status DeviceTimer::make(const CudaDevice& device, std::unique_ptr<DeviceTimer>* timer) {
  std::unique_ptr<DeviceTimer> made(new DeviceTimer(device));
  const cuda::CudaApi& api = device.api();
  for (cuda::Event* const event : {&made->begin_, &made->end_}) {
    if (Status status = api.status_of(api.create_event(event, cuda::kDefaultEvent), "cuEventCreate"); !status.ok()) {
      return status;
    }
  }
  *timer = std::move(made);
  return {};
}

DeviceTimer::~DeviceTimer() {
  for (const cuda::Event event : {begin_, end_}) {
    if (event != nullptr) device_.api().destroy_event(event);
  }
}

void DeviceTimer::wait_at(void* gate) {
  auto* const waited = static_cast<Gate*>(gate);
  const uint64_t end_ns = monotonic_ns() + kGateLimitNs;
  while (!waited->is_open.load(std::memory_order_acquire)) {
    if (monotonic_ns() >= end_ns) {
      waited->has_given_up = true;
      return;
    }
    sched_yield();
  }
}

Status DeviceTimer::time(const std::function<Status()>& before, const std::function<Status()>& enqueue, double* ns) {
  const bool was_held = uses_gate_;
  if (Status status = time_once(before, enqueue, ns); !status.ok()) return status;
  // The call waits for the device itself: it is timed with what the host needs, as it is for every user.
  return was_held && !uses_gate_ ? time_once(before, enqueue, ns) : Status();
}

Status DeviceTimer::time_once(const std::function<Status()>& before, const std::function<Status()>& enqueue,
                              double* ns) {
  const cuda::CudaApi& api = device_.api();
  if (Status status = before(); !status.ok()) return status;
  Gate gate;
  if (uses_gate_) {
    if (Status status = api.status_of(api.call_host(device_.stream(), &wait_at, &gate), "cuLaunchHostFunc");
        !status.ok()) {
      return status;
    }
  }
  Status status = api.status_of(api.record_event(begin_, device_.stream()), "cuEventRecord");
  if (status.ok()) status = enqueue();
  if (status.ok()) status = api.status_of(api.record_event(end_, device_.stream()), "cuEventRecord");
  gate.is_open.store(true, std::memory_order_release);
  // Also after an error: the gate must not go before the stream has passed it.
  const Status waited = device_.wait();
  if (!status.ok()) return status;
  if (!waited.ok()) return waited;
  if (gate.has_given_up) uses_gate_ = false;
  float milliseconds = 0;
  status = api.status_of(api.elapsed_ms(&milliseconds, begin_, end_), "cuEventElapsedTime");
  *ns = static_cast<double>(milliseconds) * 1e6;
  return status;
}

}  // namespace xsp::bound
