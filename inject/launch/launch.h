#pragma once

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// Profiles the command of `options`: the exit code for xsp-run. If the command died by a signal, this dies by the
/// same.
int launch(const Options& options);

}  // namespace xsp::launch
