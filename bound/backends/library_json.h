#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bound/records/measurement.h"

namespace xsp::bound {

/// A library with all that is known of it, for other processes and later runs.
nlohmann::json json_of_library(const Library& library);

/// False for what json_of_library() did not write.
bool read_library(const nlohmann::json& object, Library* library);

}  // namespace xsp::bound
