/// Entry for the JSON that cuDNN gives of an execution plan.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "analysis/work/execution_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string problem;
  const auto plan = xsp::analysis::ExecutionPlan::parse({reinterpret_cast<const char*>(data), size}, &problem);
  if (!plan && problem.empty()) std::abort();
  if (plan) (void)plan->text();
  return 0;
}
