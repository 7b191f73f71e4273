#pragma once

#include <string>

#include "base/status.h"
#include "inject/launch/options/options.h"

namespace CLI {
class App;
}

namespace xsp::launch {

/// What --concurrency was given, and which options go with it: reads `text` into `options`, and refuses what cannot be
/// done together. Whether the named trace can be read is checked here; whether it has advice, xsp-report tells.
Status check_concurrency(const CLI::App& app, const std::string& text, Options* options);

}  // namespace xsp::launch
