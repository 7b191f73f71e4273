#pragma once

#include "bound/onnx/graph.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

/// What a model was taken apart from: node i is layer i.
struct ModelSource {
  Model model;
  GraphFacts facts;
};

}  // namespace xsp::bound
