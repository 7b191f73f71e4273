#pragma once

#include <span>

#include "import/frame/importer.h"

namespace xsp {

/// All formats, in the order of the help.
std::span<const Importer> importers();

}  // namespace xsp
