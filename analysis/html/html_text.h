#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Of a text that is shortened the title shows no more letters.
inline constexpr size_t kTitleWidth = 600;

/// Recorded text as it may stand in an element or in a quoted attribute: nothing of it is markup, controls a reader's
/// program or turns the direction of what follows.
std::string html_text(std::string_view recorded);

/// What people read of a value, as in the text report: four digits or the column's decimal places, "–" for what the
/// trace cannot give. Not escaped.
std::string cell_text(const Cell& value, const Column& column);

/// "Layer information" of "layer information".
std::string capitalised(std::string text);

/// "1 row", "2 rows".
std::string counted(size_t count, std::string_view noun);

}  // namespace xsp::analysis
