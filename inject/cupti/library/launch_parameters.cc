#include "inject/cupti/library/launch_parameters.h"

#include <string.h>

#include "inject/cupti/library/driver_functions.h"

namespace xsp::guest {
namespace {

/// CUstreamCaptureStatus.
constexpr int kNotCapturing = 0;

template <typename Value>
Value member(const void* parameters, size_t offset) {
  Value value;
  memcpy(&value, static_cast<const char*>(parameters) + offset, sizeof value);
  return value;
}

void* stream_of(ApiLaunch launch, const void* parameters) {
  constexpr size_t kOfKernel = 40;
  constexpr size_t kOfConfiguration = 32;
  constexpr size_t kOfGraph = 8;
  switch (launch) {
    case ApiLaunch::kKernel:
      return member<void*>(parameters, kOfKernel);
    case ApiLaunch::kKernelByConfiguration:
      return member<void*>(member<const void*>(parameters, 0), kOfConfiguration);
    case ApiLaunch::kGraph:
      return member<void*>(parameters, kOfGraph);
    default:
      return nullptr;
  }
}

}  // namespace

const void* launched_graph(const cupti::CallbackData& data) {
  return data.parameters == nullptr ? nullptr : member<const void*>(data.parameters, 0);
}

bool is_capturing(ApiLaunch launch, const cupti::CallbackData& data) {
  const size_t length = data.function_name == nullptr ? 0 : strlen(data.function_name);
  const bool per_thread = length > 5 && strcmp(data.function_name + length - 5, "_ptsz") == 0;
  const char* question = per_thread ? "cuStreamIsCapturing_ptsz" : "cuStreamIsCapturing";
  auto* ask = reinterpret_cast<int (*)(void*, int*)>(driver_function(question));
  int status = kNotCapturing;
  if (ask == nullptr || data.parameters == nullptr) return false;
  return ask(stream_of(launch, data.parameters), &status) != 0 || status != kNotCapturing;
}

}  // namespace xsp::guest
