#pragma once

#include <string>

#include "base/status.h"

namespace xsp::analysis {

/// Shows a page in $BROWSER, or by xdg-open or another program of the desktop, which goes on by itself and says
/// nothing. An error where there is none, or nowhere to show it.
Status open_page(const std::string& path);

}  // namespace xsp::analysis
