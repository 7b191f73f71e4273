#pragma once

namespace xsp::guest {

/// What libcuda calls inside cuInit, in the library that CUDA_INJECTION64_PATH names. Has the library that the user
/// named there (XSP_CUDA_INJECTION) do the same first, then starts the session. Returns 1.
int initialize_injection();

/// After a call of the CUDA runtime. Starts the session where the driver is up and did not call us, because the
/// program changed its environment, or an older driver or another loader is at work. If the call failed because there
/// is no driver, the user is told so.
void start_session_behind_call(bool failed);

}  // namespace xsp::guest
