#pragma once

#include <cstddef>
#include <optional>

#include "analysis/cli/options.h"
#include "analysis/render/render.h"

namespace xsp::analysis {

/// What decides how text is written, of any program that writes tables.
struct TextChoices {
  bool to_standard_output = true;
  bool is_text = true;       // not JSON, CSV
  bool is_overview = false;  // findings and the most useful tables
  std::optional<size_t> top;
  bool verbose = false;
  bool plain = false;
  Color color = Color::kAuto;
};

/// How text is written where it goes. A terminal has its width, the alphabet of its locale and, unless NO_COLOR is set,
/// colours. A pipe is as wide as COLUMNS says and else not cut; a file is never cut. Both are UTF-8 without colours, so
/// that they do not depend on who runs the command.
ReportOptions text_options(const TextChoices& choices);
ReportOptions text_options(const Options& options);

}  // namespace xsp::analysis
