#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/render/render.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The rows of a table as aligned lines: text to the left, numbers by their decimal points.
struct TextGrid {
  std::string lines;                       // the heads first
  std::vector<std::string> without_value;  // columns left out for want of room, which have no value in any row
  std::vector<std::string> without_room;   // columns left out for want of room
};

/// Lines of at most `options.width` columns of a terminal (0: as wide as they are). Where they do not fit, columns
/// without any value go first; then names are narrowed; then columns are left out from the last one on, those in
/// `important` last of all. Of an interval both ends are shown or none.
TextGrid lay_out(const Table& table, const ReportOptions& options, const std::vector<std::string_view>& important = {});

}  // namespace xsp::analysis
