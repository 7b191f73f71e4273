#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Cells of A1: what an evaluation allocated, the peak of live memory during its call, and what was live at its end.
/// Rows are those of Study::groups in order.
void add_memory(const Study& study, Table* table);

}  // namespace xsp::analysis
