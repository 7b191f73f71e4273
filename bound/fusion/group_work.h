#pragma once

#include <optional>

#include "bound/problems/problem.h"

namespace xsp::bound {

struct GroupWork {
  double flops;
  double bytes;  // every operand read once, the result written once
};

/// What a problem of a kind with back ends has to do, by the formulas of doc/metrics.md; each step of `post` counts as
/// the operator does. Nothing: its fields do not fit together.
std::optional<GroupWork> work_of_group(const Problem& problem);

}  // namespace xsp::bound
