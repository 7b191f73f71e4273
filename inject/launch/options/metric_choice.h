#pragma once

#include <string>

#include "base/status.h"

namespace xsp::launch {

/// Whether --metrics is a list of sets and of names that can be ones of CUPTI. Which of them a chip has is not known
/// here.
Status check_metric_list(const std::string& list);

}  // namespace xsp::launch
