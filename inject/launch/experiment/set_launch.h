#pragma once

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// Runs the command of `options` several times into a folder of traces (--leveled, --runs, --resolve). Returns the exit
/// code of xsp-run: that of the run that stopped the set. If that run died by a signal, this dies by the same.
int launch_set(const Options& options);

}  // namespace xsp::launch
