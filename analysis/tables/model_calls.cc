#include "analysis/tables/model_calls.h"

#include <algorithm>
#include <set>

#include "analysis/timeline/evaluation_threads.h"
#include "base/text_encoding.h"

namespace xsp::analysis {

ModelCalls calls_of_model(const Study& study, const EvaluationGroup& group) {
  ModelCalls calls;
  std::set<uint32_t> inputs;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& other = study.evaluations.groups[number];
    if (other.process != group.process || other.model != group.model || other.scope != group.scope) continue;
    if (other.phases.mode != group.phases.mode) continue;
    calls.groups.push_back(number);
    calls.count += other.evaluations.size();
    inputs.insert(other.input);
  }
  calls.inputs = inputs.size();
  return calls;
}

std::string which_calls(const Study& study, const EvaluationGroup& group) {
  constexpr size_t kWidth = 40;
  const ModelCalls calls = calls_of_model(study, group);
  if (calls.groups.size() < 2) return {};
  std::string which;
  if (calls.inputs > 1) which = ", those of input " + shorten(printable(study.trace.text(group.input)), kWidth);
  const bool differs = std::any_of(calls.groups.begin(), calls.groups.end(), [&](uint32_t number) {
    const EvaluationGroup& other = study.evaluations.groups[number];
    return other.input == group.input && other.phases.has_optimizer != group.phases.has_optimizer;
  });
  if (differs) {
    const std::string_view step = group.phases.has_optimizer ? " with an optimizer step" : " without an optimizer step";
    if (which.empty()) which = ", those";
    which.append(step);
  }
  if (const std::string threads = threads_text(group.threads); !threads.empty()) {
    if (which.empty()) which = ", those";
    which += " with " + threads;
  }
  return which;
}

}  // namespace xsp::analysis
