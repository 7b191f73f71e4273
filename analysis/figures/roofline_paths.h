#pragma once

#include <vector>

#include "analysis/figures/roofline_points.h"

namespace xsp::analysis {

/// The drawn rows of A15 by model, in order of batch size: the path of a model under the roofs as its batches grow. A
/// model with several rows for one batch size, or with one row only, has no path.
std::vector<std::vector<size_t>> batch_paths(const Table& table, const std::vector<RooflineRow>& rows);

}  // namespace xsp::analysis
