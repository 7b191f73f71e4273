// Captures cudaLaunchKernelExC, whose grid is in a structure: cudaLaunchConfig_t of driver_types.h, unchanged since
// 11.8.
#include "inject/library/call.h"
#include "inject/library/capture/passed_object.h"

namespace xsp::guest {
namespace {

struct Attribute {
  int id;
  char padding[4];
  uint32_t value[16];
};

struct Configuration {
  uint32_t grid[3];
  uint32_t block[3];
  size_t shared_bytes;
  void* stream;
  const Attribute* attributes;
  unsigned attribute_count;
};

constexpr int kClusterDimension = 4;  // cudaLaunchAttributeClusterDimension

void capture_launch(const xsp_call* call, xsp_values* values, const void* configuration, const void* function) {
  Configuration config{};
  if (is_object(call, configuration)) memcpy(&config, configuration, sizeof config);
  const uint32_t no_cluster[3] = {};
  const uint32_t* cluster = no_cluster;
  const bool attributes = config.attribute_count != 0 && is_object(call, config.attributes);
  // At most 64: a failed call may have been given any count.
  for (unsigned i = 0; attributes && i < config.attribute_count && i < 64; ++i) {
    if (config.attributes[i].id == kClusterDimension) cluster = config.attributes[i].value;
  }
  for (uint32_t size : config.grid) append(values, size);
  for (uint32_t size : config.block) append(values, size);
  append(values, static_cast<uint64_t>(config.shared_bytes));
  append(values, reinterpret_cast<uint64_t>(config.stream));
  append(values, reinterpret_cast<uint64_t>(function));
  for (int i = 0; i < 3; ++i) append(values, cluster[i]);
}

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

void xsp_capture_cudaLaunchKernelExC(const xsp_call* call, xsp_values* values, void* configuration, void* function,
                                     void* /*arguments*/) {
  capture_launch(call, values, configuration, function);
}

void xsp_capture_cudaLaunchKernelExC_ptsz(const xsp_call* call, xsp_values* values, void* configuration, void* function,
                                          void* /*arguments*/) {
  capture_launch(call, values, configuration, function);
}

}  // extern "C"
