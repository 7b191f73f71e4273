#pragma once

#include <vector>

#include "bound/advice/evaluation_work.h"
#include "bound/advice/inefficiency.h"

namespace xsp::bound {

/// Tensors in a layout that the library's kernel cannot read, so that each call converts them on the device first.
void find_converted_layouts(const EvaluationWork& work, std::vector<Inefficiency>* found);

/// Calls with 16-bit operands whose settings forbid matrix units on a device that has them.
void find_forbidden_matrix_units(const EvaluationWork& work, std::vector<Inefficiency>* found);

/// Convolutions of different shapes that all use one algorithm, while the program never asked which is fastest: known
/// where the recording has the program's start.
void find_forced_algorithm(const EvaluationWork& work, std::vector<Inefficiency>* found);

}  // namespace xsp::bound
