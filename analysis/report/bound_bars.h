#pragma once

#include <optional>

#include "analysis/report/given_bounds.h"
#include "analysis/report/page_drawing.h"

namespace xsp::analysis {

/// Of the layers that took most time, what was measured beside the bounds. Nothing where no layer has both.
std::optional<PageDrawing> bound_bars(const GivenBounds& bounds);

}  // namespace xsp::analysis
