#pragma once

#include <memory>

#include "bound/backends/cuda_device.h"
#include "bound/backends/cudnn_operation_graph.h"

namespace xsp::bound::cudnn {

/// The library with its handle, which is bound to a device and its stream. What all implementations of a process share.
struct Process {
  Api api;
  std::shared_ptr<CudaDevice> device;
  Handle handle = nullptr;

  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (handle != nullptr) api.destroy(handle);
  }

  Target target() const { return {&api, handle, nullptr}; }
};

}  // namespace xsp::bound::cudnn
