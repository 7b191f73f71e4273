#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/render/text_style.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// What a report says about its input.
struct ReportInput {
  std::string path;
  std::string side;  // of a comparison: "base" or "new"
  uint64_t spans = 0;
  uint64_t processes = 0;
  bool complete = false;
};

/// What a report says before its tables.
struct ReportFindings {
  std::string verdict;
  std::vector<Finding> findings;
};

struct ReportOptions {
  size_t top = SIZE_MAX;                         // rows of each table
  size_t width = 0;                              // of the terminal, in columns; 0: nothing is cut
  std::string finding;                           // a line before all tables; empty: none
  bool verbose = false;                          // of an overview: all that is known of the recording
  TextStyle style;                               // of text
  std::vector<std::string_view> important = {};  // columns that stay where there is little room, the first ones longest
};

/// Numbers with four significant digits, aligned by their points, "–" for null, notes below; a note that an
/// earlier table has is only referred to. Of parts it is only said that they are there.
std::string render_text(std::vector<Table> tables, const ReportOptions& options);

/// The object of the contract (analyses, section 0). One line for each row, so that a diff shows rows. A comparison has
/// no `said`.
std::string render_json(std::vector<Table> tables, const std::vector<ReportInput>& input, const ReportOptions& options,
                        const ReportFindings* said = nullptr);

/// A model of which a report says bounds.
struct ReportModel {
  std::string path;
  size_t layers = 0;
};

/// The same object of a report that is of models, not of traces.
std::string render_json(std::vector<Table> tables, const std::vector<ReportModel>& models, const ReportOptions& options,
                        const ReportFindings& said);

/// RFC 4180 with full precision; null is an empty field. Several tables are separated by "# A1 title" lines, and so are
/// the parts of one ("# L1.nested title"); a single table is pure CSV.
std::string render_csv(std::vector<Table> tables, const ReportOptions& options);

}  // namespace xsp::analysis
