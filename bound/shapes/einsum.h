#pragma once

#include <string_view>

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

/// Shape of the result of an Einsum: "ij,jk->ik", with "..." and without an arrow, too.
Finding einsum_shape(std::string_view equation, const std::vector<const Dimensions*>& operands, Dimensions* result);

}  // namespace xsp::bound
