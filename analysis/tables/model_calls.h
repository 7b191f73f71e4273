#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// All evaluations of one model in one process and mode (training or not), of whatever input: a group has those of one
/// shape.
struct ModelCalls {
  std::vector<uint32_t> groups;  // of those under study; the asked one is among them
  size_t count = 0;              // evaluations of all of them
  size_t inputs = 0;             // shapes that differ
};

ModelCalls calls_of_model(const Study& study, const EvaluationGroup& group);

/// ", those of input [8,64]", ", those without an optimizer step", ", those with 2 threads (own)", or several: what
/// tells a group from the others; empty where it is alone.
std::string which_calls(const Study& study, const EvaluationGroup& group);

}  // namespace xsp::analysis
