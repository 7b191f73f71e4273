#pragma once

#include <string>

#include "analysis/export/byte_sink.h"

namespace xsp::analysis {

/// From the doctype to the begin of the body: title, style, and the policy of what may run: what has one of its hashes.
void write_page_head(const std::string& title, ByteSink* sink);

/// The scripts that the policy names, with the licence of what is not ours, and the end of the page.
void write_page_end(ByteSink* sink);

}  // namespace xsp::analysis
