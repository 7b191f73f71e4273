#pragma once

#include <vector>

#include "analysis/figures/roofline_points.h"

namespace xsp::analysis {

/// The drawn rows of A15 by model, in order of batch size: the way that a model takes under the roofs as its batches
/// grow. What has several rows of one batch size, or only one, has no path.
std::vector<std::vector<size_t>> batch_paths(const Table& table, const std::vector<RooflineRow>& rows);

}  // namespace xsp::analysis
