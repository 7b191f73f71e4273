#pragma once

#include <string>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// The static drawing of a roofline, as svg_of() promises it.
std::string svg_of_roofline(const Figure& figure);

}  // namespace xsp::analysis
