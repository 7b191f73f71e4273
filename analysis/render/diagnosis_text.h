#pragma once

#include <string>
#include <vector>

#include "analysis/render/render.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// A check of D4 as people read it. Texts are printable.
struct DiagnosisLine {
  std::string name;
  std::string value;      // "32.75 %"; a dash where it is not known
  std::string threshold;  // "20 %"
  std::string evidence;
  std::string advice;
  std::string loop;  // its number where there are several
  bool found = false;
  bool is_known = false;
  bool is_large = false;  // the value reaches the threshold
};

/// The rows of D4; none of any other table, and of a comparison's D4, which has other columns.
std::vector<DiagnosisLine> diagnosis_lines(const Table& table);

/// A line a check: whether it was found, what was compared with which threshold. Below it evidence and advice of what
/// was found, and why a value at the threshold is no finding; behind it why a check could not be made.
void append_diagnosis(const std::vector<DiagnosisLine>& checks, const ReportOptions& options, std::string* out);

}  // namespace xsp::analysis
