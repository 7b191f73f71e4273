#pragma once

#include <optional>

#include "bound/joining/onednn_text.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// The problem that a primitive computes; nothing where problems have no words for it (gradients, recurrent layers), or
/// the text does not tell all of it.
std::optional<Problem> problem_of_onednn(const OnednnPrimitive& primitive);

// By kind.
std::optional<Problem> onednn_convolution(const OnednnPrimitive& primitive);
std::optional<Problem> onednn_deconvolution(const OnednnPrimitive& primitive);
std::optional<Problem> onednn_pooling(const OnednnPrimitive& primitive);
std::optional<Problem> onednn_resampling(const OnednnPrimitive& primitive);
std::optional<Problem> onednn_matmul(const OnednnPrimitive& primitive);
std::optional<Problem> onednn_inner_product(const OnednnPrimitive& primitive);

}  // namespace xsp::bound
