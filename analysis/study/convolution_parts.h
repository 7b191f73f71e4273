#pragma once

#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Which part of each layer's time is in convolutions, 0 to 1, by index of `joined.layers`: of an operator, a node or a
/// library call all or nothing; of all other layers the part that convolutions have of the time of the operators
/// inside, or of the library calls where no operators were recorded. Only where neither was, a class of torch.nn says
/// it. Names of classes are never looked at otherwise.
std::vector<double> convolution_parts(const Study& study, const JoinedLayers& joined);

}  // namespace xsp::analysis
