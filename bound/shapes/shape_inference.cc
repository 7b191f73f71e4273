#include "bound/shapes/shape_inference.h"

#include "bound/shapes/graph_inference.h"
#include "bound/shapes/input_binding.h"

namespace xsp::bound {

Status infer_shapes(const Model& model, const ShapeBindings& bindings, InferredShapes* inferred) {
  *inferred = {};
  Status status = bind_inputs(model.graph, bindings, &inferred->values, &inferred->notes);
  if (!status.ok()) return status;
  Scope scope(&inferred->values);
  return GraphInference(model).infer(model.graph, &scope);
}

}  // namespace xsp::bound
