// Entry points: launches of kernels.
#include <time.h>

#include <utility>

#include "entry.h"

using namespace fake;

namespace {

struct LaunchConfig {  // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};

/// Parameters of cuLaunchKernel and cuLaunchCooperativeKernel, which has no last one.
struct LaunchParameters {
  Function* function;
  unsigned grid[3], block[3], shared;
  void* stream;
  void** kernel_parameters;
  void** extra;
};

thread_local uint64_t chosen_duration = 0;

int launch(Function* function, const unsigned* grid, const unsigned* block, unsigned shared, void* handle,
           bool per_thread) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  if (function == nullptr) return kInvalidHandle;
  if (grid[0] * grid[1] * grid[2] == 0) return kInvalidValue;
  if (!function->loaded) {
    function->loaded = true;
    const uint64_t begin = now();
    tell_overhead(5 << 16, begin, now() + 1);  // CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING
  }
  Work work;
  work.name = function->name;
  const uint64_t chosen = std::exchange(chosen_duration, 0);
  work.duration = chosen != 0 ? chosen - 1 : duration_of(function->name);
  fake_execution& e = work.execution;
  e.kind = kFakeKernel;
  for (int i = 0; i < 3; ++i) e.grid[i] = grid[i], e.block[i] = block[i];
  e.shared = shared;
  return submit(*on.stream, std::move(work), false);
}

int launch_kernel(const char* name, uint32_t callback, const LaunchParameters& p, bool per_thread) {
  return api_call(
      name, callback, &p, [&] { return launch(p.function, p.grid, p.block, p.shared, p.stream, per_thread); },
      p.function == nullptr ? nullptr : p.function->name.c_str());
}

int launch_ex(const char* name, uint32_t callback, const LaunchConfig* config, Function* function, void** arguments,
              void** extra, bool per_thread) {
  struct {
    const LaunchConfig* config;
    Function* function;
    void **arguments, **extra;
  } parameters = {config, function, arguments, extra};
  return api_call(
      name, callback, &parameters,
      [&] { return launch(function, config->grid, config->block, config->shared, config->stream, per_thread); },
      function == nullptr ? nullptr : function->name.c_str());
}

}  // namespace

#define LAUNCH(name, callback, per_thread)                                                                    \
  EXPORT int name(Function* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,  \
                  unsigned shared, void* stream, void** parameters, void** extra) {                           \
    return launch_kernel(#name, callback, {f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, extra}, \
                         per_thread);                                                                         \
  }
#define LAUNCH_COOPERATIVE(name, callback, per_thread)                                                          \
  EXPORT int name(Function* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,    \
                  unsigned shared, void* stream, void** parameters) {                                           \
    return launch_kernel(#name, callback, {f, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, nullptr}, \
                         per_thread);                                                                           \
  }
#define LAUNCH_EX(name, callback, per_thread)                                                 \
  EXPORT int name(const LaunchConfig* config, Function* f, void** parameters, void** extra) { \
    return launch_ex(#name, callback, config, f, parameters, extra, per_thread);              \
  }

LAUNCH(cuLaunchKernel, 307, false)
LAUNCH(cuLaunchKernel_ptsz, 442, true)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, 477, false)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, 478, true)
LAUNCH_EX(cuLaunchKernelEx, 652, false)
LAUNCH_EX(cuLaunchKernelEx_ptsz, 653, true)

/// No function of the vendor's: the kernel that this thread launches next takes so long, whatever its name says.
EXPORT void fake_cuda_take(uint64_t ns) { chosen_duration = ns + 1; }
