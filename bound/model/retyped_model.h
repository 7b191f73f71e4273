#pragma once

#include <string>

#include "bound/model/layer.h"

namespace xsp::bound {

/// The model as it would be if what it computes in f32 were computed in another type ("bf16"): problems that have the
/// type as their `dtype` get the other one, and half or twice the bytes. Layers of other types, and operators that only
/// a framework computes, stay as they are. The name gets the type behind it.
LayeredModel retyped(const LayeredModel& model, const std::string& dtype);

}  // namespace xsp::bound
