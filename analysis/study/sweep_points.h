#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Puts groups in the order of the points of their sweep: parameters as they were given, their numbers ascending, other
/// values as they come first. Groups of one point, and those of no sweep, keep their order.
void sort_by_point(const Trace& trace, const std::vector<EvaluationGroup>& all, std::vector<uint32_t>* groups);

/// The point of a group without its batch size, "threads=2 backend=x"; empty: none.
std::string point_without_batch(const Trace& trace, const EvaluationGroup& group);

/// The parameters of the groups' runs, in the order in which they come first; at most kMaxParameters.
std::vector<std::string> sweep_parameters(const Trace& trace, const std::vector<EvaluationGroup>& all,
                                          const std::vector<uint32_t>& groups);

/// The value of a parameter as it was given; null: the run has no such parameter, or there is no run.
const std::string* parameter_value(const ExperimentRun* run, const std::string& name);

/// The finite number that all of a value is; nothing for other text.
std::optional<double> parameter_number(const std::string& text);

}  // namespace xsp::analysis
