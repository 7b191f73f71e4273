#pragma once

#include <cstdint>
#include <string>

#include "bound/records/measurement.h"

namespace xsp::bound {

/// Facts from the files of /proc, /sys and /etc under `root` ("" for this machine's own). `cores`: that the scheduler
/// lets this process use; quotas of its control groups lower them. What is not told stays empty or 0.
SystemFacts facts_from_files(const std::string& root, int cores);

/// "266240K" in bytes; 0 for anything else.
uint64_t bytes_of_cache_size(const std::string& text);

}  // namespace xsp::bound
