#pragma once

#include <string_view>
#include <vector>

#include "bound/onnx/graph.h"
#include "bound/onnx/reading.h"

namespace xsp::bound {

/// Reads a ValueInfoProto and appends it; false once the reading has failed.
bool add_value(std::string_view message, Reading& reading, std::vector<DeclaredValue>* values);

}  // namespace xsp::bound
