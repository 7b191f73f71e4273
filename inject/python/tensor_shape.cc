#include "inject/python/tensor_shape.h"

namespace xsp::guest {
namespace {

constinit PyObject* tensor_type = nullptr;
constinit PyObject* parameter_type = nullptr;
constinit PyObject* shape_attribute = nullptr;

bool is_plain_tensor(PyObject* object) {
  const Owned type(python.PyObject_Type(object));
  return type.get() == tensor_type || type.get() == parameter_type;
}

void add_tensor(PyObject* tensor, Shapes* shapes) {
  const Owned shape(python.PyObject_GetAttr(tensor, shape_attribute));
  if (!shape || !add_sizes(shape.get(), Shapes::kMaxRank, shapes)) python.PyErr_Clear();
}

void collect(PyObject* object, int limit, int levels, Shapes* shapes) {
  if (shapes->tensors >= limit || object == python.none) return;
  if (is_plain_tensor(object)) {
    add_tensor(object, shapes);
    return;
  }
  if (levels == 0) return;
  if (is_a(object, python.tuple_type)) {
    const Py_ssize_t size = python.PyTuple_Size(object);
    for (Py_ssize_t i = 0; i < size && shapes->tensors < limit; ++i) {
      collect(python.PyTuple_GetItem(object, i), limit, levels - 1, shapes);
    }
  } else if (is_a(object, python.list_type)) {
    const Py_ssize_t size = python.PyList_Size(object);
    for (Py_ssize_t i = 0; i < size && shapes->tensors < limit; ++i) {
      collect(python.PyList_GetItem(object, i), limit, levels - 1, shapes);
    }
  } else if (is_a(object, python.dict_type)) {
    Py_ssize_t position = 0;
    PyObject* key;
    PyObject* value;
    while (shapes->tensors < limit && python.PyDict_Next(object, &position, &key, &value) != 0) {
      collect(value, limit, levels - 1, shapes);
    }
  }
}

}  // namespace

void set_tensor_types(PyObject* tensor, PyObject* parameter) {
  python.Py_IncRef(tensor);
  python.Py_IncRef(parameter);
  tensor_type = tensor;
  parameter_type = parameter;
  shape_attribute = python.PyUnicode_InternFromString("shape");
}

bool add_sizes(PyObject* sizes, Py_ssize_t most_rank, Shapes* shapes) {
  const bool is_list = is_a(sizes, python.list_type);
  if (!is_list && !is_a(sizes, python.tuple_type)) return false;
  const Py_ssize_t rank = is_list ? python.PyList_Size(sizes) : python.PyTuple_Size(sizes);
  const bool has_room = shapes->tensors < Shapes::kMaxTensors && shapes->used + rank < Shapes::kMostSizes;
  if (rank > most_rank || !has_room) return false;
  int64_t* at = shapes->sizes + shapes->used;
  *at++ = rank;
  for (Py_ssize_t i = 0; i < rank; ++i) {
    PyObject* size = is_list ? python.PyList_GetItem(sizes, i) : python.PyTuple_GetItem(sizes, i);
    if (size == nullptr) return false;
    *at++ = python.PyLong_AsLongLong(size);
  }
  if (rank > 0 && python.PyErr_Occurred() != nullptr) return false;
  shapes->used += static_cast<int>(rank) + 1;
  shapes->tensors++;
  return true;
}

void collect_shapes(PyObject* object, int limit, int levels, Shapes* shapes) { collect(object, limit, levels, shapes); }

}  // namespace xsp::guest
