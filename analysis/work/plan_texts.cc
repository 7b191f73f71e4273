#include "analysis/work/plan_texts.h"

#include "analysis/work/execution_plan.h"

namespace xsp::analysis {

const std::string& PlanTexts::text(uint32_t id) {
  const auto [found, added] = texts_.try_emplace(id);
  if (!added) return found->second;
  std::string problem;
  if (const auto plan = ExecutionPlan::parse(trace_.text(id), &problem)) {
    found->second = plan->text();
  } else {
    ++unreadable_;
    found->second = "plan not readable (" + problem + ")";
  }
  return found->second;
}

}  // namespace xsp::analysis
