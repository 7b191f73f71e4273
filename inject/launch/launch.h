#pragma once

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// Profiles the command of `options` and returns the exit code of xsp-run. If the command died by a signal, this dies
/// by the same.
int launch(const Options& options);

}  // namespace xsp::launch
