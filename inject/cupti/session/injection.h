#pragma once

namespace xsp::guest {

/// What libcuda calls inside cuInit, in the library that CUDA_INJECTION64_PATH names. Has the library that the user
/// named there (XSP_CUDA_INJECTION) do the same first, then starts the session. Returns 1.
int initialize_injection();

/// Behind a call of the CUDA runtime. Starts the session where the driver is up and did not call us, because the
/// program changed its environment, or an older driver or another loader is at work. Tells, where the call failed for
/// want of a driver, that there is none.
void start_session_behind_call(bool failed);

}  // namespace xsp::guest
