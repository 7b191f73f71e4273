#include "inject/python/module_shapes.h"

#include <stdlib.h>
#include <string.h>

namespace xsp::guest {

uint32_t output_shape(ModuleInfo& info, PyObject* output) {
  Shapes shapes;
  collect_shapes(output, 1, 2, &shapes);
  if (shapes.tensors == 0) return 0;
  const auto rank = static_cast<int>(shapes.sizes[0]);
  const size_t bytes = static_cast<size_t>(rank) * sizeof shapes.sizes[0];
  if (info.output_id == 0 || rank != info.last_rank || memcmp(shapes.sizes + 1, info.last_output, bytes) != 0) {
    info.last_rank = rank;
    memcpy(info.last_output, shapes.sizes + 1, bytes);
    info.output_id = intern_shapes(shapes);
  }
  return info.output_id;
}

uint32_t input_shapes(ModuleInfo& info, const Given& given) {
  Shapes shapes;
  for (Py_ssize_t i = 0; i < given.count; ++i) {
    collect_shapes(given.values[i], Shapes::kMaxTensors, given.are_unpacked ? 1 : 2, &shapes);
  }
  if (shapes.tensors == 0) return 0;
  if (info.inputs == nullptr) info.inputs = static_cast<Shapes*>(calloc(1, sizeof(Shapes)));
  if (info.inputs == nullptr) return intern_shapes(shapes);
  if (info.inputs_id == 0 || !(shapes == *info.inputs)) {
    *info.inputs = shapes;
    info.inputs_id = intern_shapes(shapes);
  }
  return info.inputs_id;
}

}  // namespace xsp::guest
