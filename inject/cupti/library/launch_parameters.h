#pragma once

#include "inject/cupti/library/api_functions.h"
#include "inject/cupti/library/cupti_abi.h"

namespace xsp::guest {

/// What the parameters of a launching call of the driver say, by the layout of CUPTI's (generated_cuda_meta.h).

/// The executable graph that is launched; null: not known.
const void* launched_graph(const cupti::CallbackData& data);

/// Whether the launch goes into a stream that is being captured. Starting and stopping to count synchronises, which
/// would break a capture: a stream about which the driver cannot be asked counts as capturing.
bool is_capturing(ApiLaunch launch, const cupti::CallbackData& data);

}  // namespace xsp::guest
