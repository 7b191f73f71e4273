#pragma once

#include <string>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// The static drawings by kind, as svg_of() promises them.
std::string svg_of_lines(const Figure& figure);
std::string svg_of_columns(const Figure& figure);
std::string svg_of_bars(const Figure& figure);
std::string svg_of_stacked(const Figure& figure);
std::string svg_of_nested(const Figure& figure);
std::string svg_of_strip(const Figure& figure);
std::string svg_of_states(const Figure& figure);

}  // namespace xsp::analysis
