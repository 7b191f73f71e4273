#pragma once

#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// The share of each layer's time that is in convolutions, 0 to 1, by index of `joined.layers`: all or nothing for an
/// operator, a node or a library call; for all other layers, the convolutions' share of the time of the operators
/// inside, or of the library calls if no operators were recorded. Only if neither was does a class of torch.nn decide;
/// names of classes are not looked at otherwise.
std::vector<double> convolution_parts(const Study& study, const JoinedLayers& joined);

}  // namespace xsp::analysis
