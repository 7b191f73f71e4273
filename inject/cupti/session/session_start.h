#pragma once

namespace xsp::guest {

/// Starts the session, once in a process; further calls do nothing. Called inside cuInit (InitializeInjection), and
/// after the first call of the CUDA runtime where that did not happen. If it cannot start, a notice says why: no
/// libcupti, a version that does not fit the driver, another subscriber.
void start_session();

}  // namespace xsp::guest
