#pragma once

#include <string_view>

namespace xsp::analysis {

/// The parts of every page, put into the program when it is built (embed_assets.py).
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;    // all of assets/*.js, in the order of meson.build, in one function
extern const std::string_view kChartScript;   // Chart.js of the distribution
extern const std::string_view kChartLicence;  // its copyright file: it goes where the script goes

/// "sha256-…" of their elements' texts, as a content security policy names them.
extern const std::string_view kPageStyleHash;
extern const std::string_view kPageScriptHash;
extern const std::string_view kChartScriptHash;

}  // namespace xsp::analysis
