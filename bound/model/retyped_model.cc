#include "bound/model/retyped_model.h"

#include "bound/onnx/element_type.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kDtypeField = " dtype=f32";

bool is_retyped(const std::string& problem) {
  const size_t found = problem.find(kDtypeField);
  return found != std::string::npos &&
         (found + kDtypeField.size() == problem.size() || problem[found + kDtypeField.size()] == ' ');
}

std::string retyped_problem(std::string problem, const std::string& dtype) {
  return problem.replace(problem.find(kDtypeField), kDtypeField.size(), " dtype=" + dtype);
}

}  // namespace

LayeredModel retyped(const LayeredModel& model, const std::string& dtype) {
  LayeredModel other = model;
  other.name += " (" + dtype + ")";
  other.retyped_to = dtype;
  if (dtype == name_of(ElementType::kF32)) return other;
  const double scale = bytes_of(element_type_named(dtype).value_or(ElementType::kF32)) / bytes_of(ElementType::kF32);
  for (UniqueLayer& unique : other.unique) {
    if (!is_retyped(unique.problem)) continue;
    unique.problem = retyped_problem(unique.problem, dtype);
    // The node's own types are in its model.
    unique.model.clear();
  }
  for (Layer& layer : other.layers) {
    if (!is_retyped(layer.problem)) continue;
    layer.problem = retyped_problem(layer.problem, dtype);
    layer.dtype = dtype;
    if (layer.bytes) *layer.bytes *= scale;
  }
  return other;
}

}  // namespace xsp::bound
