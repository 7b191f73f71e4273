#pragma once

#include <string>

#include "base/status.h"

namespace xsp::launch {

/// Whether --cuda-api's LIST can be understood: words separated by commas, each a group, the name of a function of the
/// CUDA runtime or driver, or a glob of such names; `-` in front takes it away. Whether a function of that name exists
/// is only known where CUPTI is.
Status check_cuda_api(const std::string& list);

/// The same of --activities.
Status check_activities(const std::string& list);

/// Whether --metrics is a list of sets and of names that can be ones of CUPTI. Which of them a chip has is not known
/// here.
Status check_metric_list(const std::string& list);

}  // namespace xsp::launch
