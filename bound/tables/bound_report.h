#pragma once

#include <vector>

#include "analysis/html/html_report.h"
#include "analysis/report/report.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// Tables, findings and what precedes them.
analysis::Report bound_report(const BoundSubject& subject, const std::vector<const BoundAnalysis*>& analyses);

/// For the page: of each model bars by type of layer, and the graph with its longest path.
std::vector<analysis::PageDrawing> path_drawings(const BoundSubject& subject);

}  // namespace xsp::bound
