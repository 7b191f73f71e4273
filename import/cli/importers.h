#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/frame/importer.h"

namespace xsp {

/// All formats, in the order of the help.
std::span<const Importer> importers();

/// The format of an input, recognised by its first bytes; null, and the reason, if no importer knows it.
const Importer* recognise_format(ProfileInput& input, Status* why);

/// "kineto, jaeger"
std::string format_names();

}  // namespace xsp
