#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bound/records/measurement.h"

namespace xsp::bound {

/// Facts from the files of /proc, /sys and /etc under `root` ("" for this machine's own). `cores`: that the scheduler
/// lets this process use; quotas of its control groups lower them. What is not told stays empty or 0.
SystemFacts facts_from_files(const std::string& root, int cores);

/// The start of a file of /proc or /sys without blanks at the end; empty where there is none.
std::string text_of_file(const std::string& path);

/// Cores that the control groups of this process grant it, a part of one counted as one; nothing: as many as there are.
std::optional<int> cores_of_quota(const std::string& root);

/// "266240K" in bytes; 0 for anything else.
uint64_t bytes_of_cache_size(const std::string& text);

}  // namespace xsp::bound
