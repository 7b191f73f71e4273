#pragma once

#include "analysis/cli/options.h"
#include "analysis/render/render.h"

namespace xsp::analysis {

/// How text is written where it goes. A terminal has its width, the alphabet of its locale and, unless NO_COLOR is set,
/// colours. A pipe is as wide as COLUMNS says and else not cut; a file is never cut. Both are UTF-8 without colours, so
/// that they do not depend on who runs the command.
ReportOptions text_options(const Options& options);

}  // namespace xsp::analysis
