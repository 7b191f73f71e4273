#include "inject/python/tensor_shape.h"

#include <string.h>

#include "inject/guard/safe_copy.h"
#include "inject/objects/loaded_library.h"
#include "inject/torch/tensor_layout.h"

namespace xsp::guest {
namespace {

/// A tensor's object begins with what all Python objects have, then holds its at::TensorImpl: at 16 in PyTorch 2.15, at
/// 24 from 1.13 to 2.1; 16 further on in a Python without the GIL, whose objects begin with twice as much.
constexpr size_t kPlaces[] = {16, 24, 32, 40};
constexpr size_t kNowhere = 0;
constinit size_t impl_place = kNowhere;
/// What an at::TensorImpl itself begins with: the address of its virtual functions. Classes derived from it (sparse,
/// batched, nested, on other backends) may keep their sizes elsewhere.
constinit const void* plain_impl = nullptr;

/// at::impl::PythonTorchFunctionTLS::stack_len(): how many TorchFunctionModes the thread is in.
using ModeCount = int64_t (*)();
constinit ModeCount function_modes = nullptr;

constinit PyObject* tensor_type = nullptr;
constinit PyObject* parameter_type = nullptr;
constinit PyObject* shape_attribute = nullptr;

bool is_plain_tensor(PyObject* object) {
  const Owned type(python.PyObject_Type(object));
  return type.get() == tensor_type || type.get() == parameter_type;
}

/// Sizes of a plain tensor, without a call of anything. False for other tensors, and until it is known where they lie.
bool read_plain_sizes(const PyObject* tensor, TensorSizes* sizes) {
  if (plain_impl == nullptr) return false;
  const auto* const object = reinterpret_cast<const char*>(tensor);
  const auto impl_at = [object](size_t place) {
    const void* impl;
    memcpy(&impl, object + place, sizeof impl);
    return impl;
  };
  if (__builtin_expect(impl_place == kNowhere, 0)) {
    // Whatever a word of the object is, it is read through the kernel before it is known to be an address.
    for (const size_t place : kPlaces) {
      const void* begin = nullptr;
      if (!copy_safely(impl_at(place), &begin, sizeof begin) || begin != plain_impl) continue;
      impl_place = place;
      break;
    }
    if (impl_place == kNowhere) return false;
  }
  const void* const impl = impl_at(impl_place);
  if (impl == nullptr || *static_cast<const void* const*>(impl) != plain_impl) return false;
  return read_sizes({.payload = impl, .tag = kTensorTag, .padding = 0}, sizes);
}

bool add_plain_sizes(const TensorSizes& sizes, Shapes* shapes) {
  static_assert(TensorSizes::kMaxRank <= Shapes::kMaxRank);
  const bool has_room =
      shapes->tensors < Shapes::kMaxTensors && shapes->used + static_cast<int>(sizes.rank) < Shapes::kMostSizes;
  if (!has_room) return false;
  int64_t* const at = shapes->sizes + shapes->used;
  *at = sizes.rank;
  memcpy(at + 1, sizes.sizes, sizes.rank * sizeof *at);
  shapes->used += static_cast<int>(sizes.rank) + 1;
  shapes->tensors++;
  return true;
}

/// Tensor.shape is a call for Python: a TorchFunctionMode of the program's (torch.set_default_device is one) would see
/// it, and cost ten times the call. What cannot be read without it has no shape there.
void add_tensor(PyObject* tensor, Shapes* shapes) {
  TensorSizes sizes;
  if (read_plain_sizes(tensor, &sizes)) {
    add_plain_sizes(sizes, shapes);
    return;
  }
  if (function_modes != nullptr && function_modes() != 0) return;
  const Owned shape(python.PyObject_GetAttr(tensor, shape_attribute));
  if (!shape || !add_sizes(shape.get(), Shapes::kMaxRank, shapes)) python.PyErr_Clear();
}

constexpr size_t kMostArrayTypes = 4;
constinit ArrayType array_types[kMostArrayTypes] = {};
constinit size_t array_type_count = 0;

/// Whether the object is an array of such a type itself; then its sizes are added.
bool add_other_array(PyObject* object, Shapes* shapes) {
  if (array_type_count == 0) return false;
  const Owned type(python.PyObject_Type(object));
  for (size_t i = 0; i < array_type_count; ++i) {
    const ArrayType& known = array_types[i];
    if (type.get() != known.type) continue;
    const Owned sizes(known.is_method
                          ? python.PyObject_CallMethodObjArgs(object, known.sizes, static_cast<PyObject*>(nullptr))
                          : python.PyObject_GetAttr(object, known.sizes));
    if (!sizes || !add_sizes(sizes.get(), Shapes::kMaxRank, shapes)) python.PyErr_Clear();
    return true;
  }
  return false;
}

void collect(PyObject* object, int limit, int levels, Shapes* shapes) {
  if (shapes->tensors >= limit || object == python.none || add_other_array(object, shapes)) return;
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
  const auto* const functions =
      static_cast<const char*>(symbol_in_loaded_library("libc10.so", "_ZTVN3c1010TensorImplE"));
  // Objects point behind the two words that run-time type information has there.
  plain_impl = functions == nullptr ? nullptr : functions + 2 * sizeof(void*);
  function_modes = reinterpret_cast<ModeCount>(
      symbol_in_loaded_library("libtorch_cpu.so", "_ZN2at4impl22PythonTorchFunctionTLS9stack_lenEv"));
}

void add_array_type(const ArrayType& array) {
  if (array_type_count == kMostArrayTypes) return;
  python.Py_IncRef(array.type);
  python.Py_IncRef(array.sizes);
  array_types[array_type_count++] = array;
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
