#pragma once

#include <optional>

#include "bound/model/node_problem.h"

namespace xsp::bound {

/// What a layer has to do, by the formulas of doc/metrics.md and, for operators of ONNX that are not there, in the same
/// way: one flop for each arithmetic operation or function, none for comparisons and moves.
struct LayerWork {
  std::optional<double> flops;
  std::optional<double> bytes;  // every input read once, every output written once
};
LayerWork work_of(const NodeView& view, const Problem& problem);

/// Multiply-adds of convolutions and products, without those of a bias; 0 for other problems.
double multiply_adds_of(const Problem& problem);

}  // namespace xsp::bound
