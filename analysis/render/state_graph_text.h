#pragma once

#include <string>

#include "analysis/render/render.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// D2's part `states` as a drawing of each loop: its states as boxes, what leads from one to the next on the arrows.
/// Where there is no room for boxes, a line.
void append_state_graphs(const Table& states, const ReportOptions& options, std::string* out);

}  // namespace xsp::analysis
