#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/step_marks.h"
#include "analysis/mining/loops.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The shapes that each iteration of a loop computes with. A batch that is twice as large takes longer, and no check of
/// the times has to explain why.
struct IterationInputs {
  std::vector<uint32_t> of;  // by iteration: string id of the shapes; 0: not known. Empty: of none
  uint32_t usual = 0;        // what most of them have
  size_t usual_count = 0;

  bool vary() const { return usual_count < of.size(); }
  bool is_unusual(size_t iteration) const { return vary() && of[iteration] != usual; }
};

/// Of the first mark in each iteration, where marks are evaluations that tell their input.
IterationInputs inputs_of_iterations(const Evaluations& evaluations, const StepMarks& marks, const Loop& loop);

/// Whether the first input never becomes smaller from `begin` on and is larger in the end, by the product of its
/// dimensions: a sequence that each call makes longer.
bool inputs_grow(const Trace& trace, const IterationInputs& inputs, size_t begin);

/// "[1,16]": as a sentence takes it.
std::string input_text(const Trace& trace, uint32_t input);

}  // namespace xsp::analysis
