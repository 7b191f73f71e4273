#pragma once

#include "inject/python/cpython.h"
#include "inject/record/shapes.h"

namespace xsp::guest {

/// The types whose shapes may be read: torch.Tensor and Parameter themselves. Subclasses may run code of the program
/// (__torch_function__, fx proxies), and are left alone. Shapes of plain tensors are read from the at::TensorImpl,
/// since a program can watch the attribute. PyTorch is loaded.
void set_tensor_types(PyObject* tensor, PyObject* parameter);

/// Another framework's arrays, of which a method or an attribute of this name gives the sizes as a tuple. Kept for
/// good; of more than a few types the rest has no shapes.
struct ArrayType {
  PyObject* type;
  PyObject* sizes;
  bool is_method;
};
void add_array_type(const ArrayType& array);

/// Adds the shapes of the tensors in an object: a tensor, or a tuple, list or dict of them, `levels` deep. `limit`: how
/// many tensors to take at most.
void collect_shapes(PyObject* object, int limit, int levels, Shapes* shapes);

/// Adds one tensor's sizes, a tuple or list of integers. False where there is no room for them, or they are something
/// else; an exception may be set then.
bool add_sizes(PyObject* sizes, Py_ssize_t most_rank, Shapes* shapes);

}  // namespace xsp::guest
