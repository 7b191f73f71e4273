#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bound/joining/onednn_text.h"
#include "bound/problems/post_steps.h"

namespace xsp::bound {

/// The function of "eltwise_relu" and its kind in our words; nothing for one that problems do not have.
std::optional<PostStep> elementwise_of_onednn(std::string_view algorithm, double alpha, double beta);

/// The same without its numbers: nothing, too, for a function that depends on them.
std::optional<PostStep> elementwise_of_onednn(std::string_view algorithm);

/// What is computed on a result.
struct OnednnPostOps {
  std::string post;       // as problems have it
  double factor = 1;      // by which a product is multiplied before anything else
  bool adds_row = false;  // one number for each column of a product, before `post`
};

/// Of a result of `rank` dimensions; nothing where problems have no word for it, or the text does not tell.
std::optional<OnednnPostOps> post_ops_of(const OnednnPrimitive& primitive, size_t rank);

}  // namespace xsp::bound
