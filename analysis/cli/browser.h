#pragma once

#include <string>

#include "base/status.h"

namespace xsp::analysis {

/// Opens a page with $BROWSER, xdg-open or another desktop program, which keeps running on its own without output. An
/// error if there is no such program, or nowhere to show the page.
Status open_page(const std::string& path);

}  // namespace xsp::analysis
