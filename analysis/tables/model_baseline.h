#pragma once

#include <string>
#include <vector>

#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/table.h"
#include "base/status.h"

namespace xsp::analysis {

/// --baseline of M1: the name of a model (all rows are compared with it, with that on their own system if it is there),
/// or that of a system, framework, rank ("rank0") or point of a sweep ("threads=1"): each row is compared with the same
/// model on it. SIZE_MAX: the row has none.
std::vector<size_t> baseline_rows(const std::string& baseline, const std::vector<ModelSweep>& sweeps);

/// An error when no row has a baseline; lists what could be one.
Status check_baseline(const std::string& baseline, const std::vector<ModelSweep>& sweeps);

/// Adds a column NAME_x for each that can be compared: the value over that of the baseline.
void append_baseline(const std::string& baseline, const std::vector<ModelSweep>& sweeps, Table* table);

}  // namespace xsp::analysis
