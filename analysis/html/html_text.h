#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The title of a shortened text shows at most this many letters.
inline constexpr size_t kTitleWidth = 600;

/// Recorded text made safe for an element or a quoted attribute: it has no markup, no control characters for the
/// reader's program, and nothing that changes the direction of the text behind it.
std::string html_text(std::string_view recorded);

/// What people read of a value, as in the text report: four digits or the column's decimal places, "–" for what the
/// trace cannot give. Not escaped.
std::string cell_text(const Cell& value, const Column& column);

/// "Layer information" of "layer information".
std::string capitalised(std::string text);

/// "1 row", "2 rows".
std::string counted(size_t count, std::string_view noun);

}  // namespace xsp::analysis
