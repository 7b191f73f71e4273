#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/launch/options/options.h"

namespace CLI {
class App;
}

namespace xsp::launch {

/// Checks --continuous, --sample and what bounds a trace, alone and together with the other options. Puts `sample` and
/// `max_overhead` into the form that the guest reads, with their defaults.
Status check_continuous(const CLI::App& app, Options* options);

/// The collector's options for them.
std::vector<std::string> collector_limits(const Options& options);

}  // namespace xsp::launch
