#include "analysis/export/kineto_event.h"

#include <utility>

namespace xsp::analysis {
namespace {

KinetoEvent device_event(Kind kind) {
  switch (kind) {
    case Kind::kKernel:
      return {"kernel", ""};
    case Kind::kMemcpy:
      return {"gpu_memcpy", ""};
    case Kind::kMemset:
      return {"gpu_memset", ""};
    case Kind::kSynchronization:
      return {"cuda_sync", ""};
    case Kind::kOverhead:
      return {"overhead", ""};
    default:
      return {"gpu_user_annotation", ""};
  }
}

}  // namespace

KinetoEvent kineto_event(Level level, Kind kind) {
  if (level == Level::kDevice) return device_event(kind);
  switch (kind) {
    case Kind::kTorchModule:
    case Kind::kTorchContainer:
    case Kind::kTorchRoot:
    case Kind::kTorchScript:
    case Kind::kTorchConstruction:
      return {"python_function", "nn.Module: "};
    case Kind::kPythonFunction:
      return {"python_function", ""};
    case Kind::kOperator:
    case Kind::kOrtNode:
      return {"cpu_op", ""};
    case Kind::kRuntimeCall:
      return {"cuda_runtime", ""};
    case Kind::kDriverCall:
      return {"cuda_driver", ""};
    case Kind::kLibraryCall:
      // If calls are the layers, nothing else is an operator.
      return {level == Level::kLayer ? "cpu_op" : "user_annotation", ""};
    default:
      return {level == Level::kRuntime ? "cuda_runtime" : "user_annotation", ""};
  }
}

std::string kineto_device_name(Kind kind, std::string_view name) {
  if (kind == Kind::kMemcpy) return "Memcpy " + std::string(name);
  if (kind == Kind::kMemset) return "Memset (Device)";
  constexpr std::pair<std::string_view, std::string_view> kSynchronizations[] = {
      {"stream", "Stream Sync"},
      {"context", "Context Sync"},
      {"device", "Device Sync"},
      {"event", "Event Sync"},
      {"stream wait event", "Stream Wait Event"}};
  if (kind == Kind::kSynchronization) {
    for (const auto& [ours, theirs] : kSynchronizations) {
      if (ours == name) return std::string(theirs);
    }
  }
  return std::string(name);
}

}  // namespace xsp::analysis
