#include "import/kineto/event_category.h"

#include <array>
#include <cstddef>

namespace xsp::kineto {
namespace {

struct Name {
  std::string_view text;
  Category category;
};

constexpr Name kNames[] = {
    {"cpu_op", Category::kOperator},
    {"operator", Category::kOperator},
    {"python_function", Category::kPythonFunction},
    {"ac2g", Category::kIgnored},
    {"async", Category::kIgnored},
    {"async_cpu_to_gpu", Category::kIgnored},
    {"cuda_runtime", Category::kRuntimeCall},
    {"runtime", Category::kRuntimeCall},
    {"kernel", Category::kKernel},
    {"concurrent_kernel", Category::kKernel},
    {"cuda_driver", Category::kDriverCall},
    {"driver", Category::kDriverCall},
    {"user_annotation", Category::kAnnotation},
    {"gpu_memcpy", Category::kMemcpy},
    {"memcpy", Category::kMemcpy},
    {"gpu_memset", Category::kMemset},
    {"memset", Category::kMemset},
    {"cpu_instant_event", Category::kInstant},
    {"gpu_user_annotation", Category::kDeviceAnnotation},
    {"cuda_sync", Category::kSynchronization},
    {"overhead", Category::kOverhead},
    {"fwdbwd", Category::kForwardFlow},
    {"forward_backward", Category::kForwardFlow},
    {"cpu_to_cuda", Category::kLaunchFlow},
    {"hip_runtime", Category::kRuntimeCall},
    {"xpu_runtime", Category::kRuntimeCall},
    {"mtia_runtime", Category::kRuntimeCall},
    {"privateuse1_runtime", Category::kRuntimeCall},
    {"xpu_driver", Category::kDriverCall},
    {"privateuse1_driver", Category::kDriverCall},
    {"cuda_profiler_range", Category::kProfilerRange},
    {"cuda_event", Category::kIgnored},
    {"trace", Category::kIgnored},
};

constexpr size_t kLongest = 24;

}  // namespace

Category category_of(std::string_view text) {
  if (text.empty()) return Category::kNone;
  if (text.size() > kLongest) return Category::kUnknown;
  std::array<char, kLongest> lower;
  for (size_t i = 0; i < text.size(); ++i) {
    lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
  }
  const std::string_view wanted(lower.data(), text.size());
  for (const Name& name : kNames) {
    if (name.text == wanted) return name.category;
  }
  return Category::kUnknown;
}

}  // namespace xsp::kineto
