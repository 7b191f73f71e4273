#pragma once

#include <string>

#include "base/status.h"
#include "bound/model/layer.h"
#include "bound/shapes/shape_inference.h"

namespace xsp::bound {

/// Reads the model and takes it apart: shapes, classes, problems, work by the formulas of doc/metrics.md, unique layers
/// (the paper's section III, A and B). Errors are those of read_model() and infer_shapes().
Status take_apart(const std::string& path, const ShapeBindings& bindings, LayeredModel* model);

}  // namespace xsp::bound
