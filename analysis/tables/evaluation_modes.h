#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Cells of A1: whether the evaluations are of training, and what of the latency their phases take on the host. Rows
/// are those of Study::groups in order.
void add_phases(const Study& study, Table* table);

/// How evaluations of training are told from others and how far they reach; empty where there are none.
std::vector<std::string> training_notes(const Study& study);

/// "training", "inference", or nothing where the trace does not tell.
std::string_view mode_word(Mode mode);

}  // namespace xsp::analysis
