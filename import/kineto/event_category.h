#pragma once

#include <string_view>

namespace xsp::kineto {

/// What an event stands for, as its "cat" says. Names have changed with the years.
enum class Category {
  kNone,     // there is none
  kUnknown,  // none of the profiler's
  kOperator,
  kAnnotation,
  kPythonFunction,
  kRuntimeCall,
  kDriverCall,
  kKernel,
  kMemcpy,
  kMemset,
  kSynchronization,
  kDeviceAnnotation,
  kOverhead,
  kInstant,        // [memory]
  kForwardFlow,    // from an operator to its backward operator
  kLaunchFlow,     // of torch.autograd.profiler, which knows no runtime calls
  kProfilerRange,  // counters with made-up times
  kIgnored,        // what repeats other events
};

Category category_of(std::string_view text);

}  // namespace xsp::kineto
