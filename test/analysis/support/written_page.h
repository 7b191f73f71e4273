#pragma once

/// Writes pages for tests, and reads the data packed into them.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "analysis/html/html_report.h"
#include "analysis/report/report.h"
#include "analysis/study/analysed_trace.h"

namespace xsp::test {

/// The page of a report; `analysed` must have a study.
std::string page_of(const analysis::Report& report, const analysis::AnalysedTrace& analysed,
                    const analysis::HtmlOptions& options = {});

/// The report that xsp-report would make, with all tables.
analysis::Report report_of(const analysis::AnalysedTrace& analysed);

/// The content of the element `id` of a page, unpacked.
nlohmann::json unpacked(std::string_view page, std::string_view id);

/// How often `part` is in `text`.
size_t occurrences(std::string_view text, std::string_view part);

/// What is between the first `begin` and the `end` that follows it; empty: not found.
std::string between(std::string_view text, std::string_view begin, std::string_view end);

}  // namespace xsp::test
