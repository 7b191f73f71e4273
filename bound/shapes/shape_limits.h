#pragma once

#include <string>

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

/// What is wrong with a shape, to stand behind "has": "a negative size", "2^53 elements or more", "more than 64
/// dimensions"; else empty. Sizes of 0 do not hide others that are too large, so that all strides can be computed.
std::string shape_problem(const Dimensions& dimensions);

}  // namespace xsp::bound
