#pragma once

#include <string>
#include <string_view>

#include "collector/import/importer.h"

namespace xsp {

/// The format of an input, told from its first bytes; null, and why, where no importer knows it.
const Importer* recognise_format(ProfileInput& input, std::string* why);

/// "kineto, jaeger"
std::string format_names();

/// Text of an input or an argument as it can be shown: control characters and what is no UTF-8 as "?".
std::string printable_text(std::string_view text);

}  // namespace xsp
