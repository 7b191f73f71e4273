#pragma once

#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/report/page_drawing.h"
#include "analysis/report/report_header.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// What a reader gets, whatever draws it: renderers know nothing but this.
struct Report {
  std::string verdict;  // one line, before everything else
  ReportHeader header;
  std::vector<Finding> findings;  // at most kMostFindings, the most important first
  std::vector<Table> tables;
  std::vector<PageDrawing> drawings;  // of pages, behind the tables
};

}  // namespace xsp::analysis
