#include "inject/python/feed_shapes.h"

#include "inject/python/bound_shapes.h"

namespace xsp::guest {
namespace {

constexpr Py_ssize_t kMostInputs = Shapes::kMaxTensors;

PyObject* interned(PyObject*& kept, const char* text) {
  if (__builtin_expect(kept == nullptr, 0)) kept = python.PyUnicode_InternFromString(text);
  return kept;
}

bool add_input(PyObject* value, Shapes* shapes) {
  const Owned shape(shape_of_input(value));
  return (shape && add_sizes(shape.get(), Shapes::kMostSizes, shapes)) || forget_failure();
}

/// Reads mappings other than dictionaries, which newer versions also accept.
bool read_mapping(PyObject* feed, Shapes* shapes) {
  static constinit PyObject* values_name = nullptr;
  PyObject* const name = interned(values_name, "values");
  const Owned values(python.PyObject_CallMethodObjArgs(feed, name, static_cast<PyObject*>(nullptr)));
  const Owned list(values ? python.PySequence_List(values.get()) : nullptr);
  for (Py_ssize_t i = 0; list && i < kMostInputs && i < python.PyList_Size(list.get()); ++i) {
    if (!add_input(python.PyList_GetItem(list.get(), i), shapes)) return false;
  }
  return forget_failure();
}

/// Stays valid in a forked child, which has its parent's ids.
struct KnownShapes {
  Shapes shapes;
  uint32_t id;
};
constexpr uint64_t kKnownShapes = 8;
constinit KnownShapes known_shapes[kKnownShapes] = {};

KnownShapes& known_place(const Shapes& shapes) {
  uint64_t hash = 0;
  for (int i = 0; i < shapes.used; ++i) hash = (hash ^ static_cast<uint64_t>(shapes.sizes[i])) * 0x9e3779b97f4a7c15;
  return known_shapes[hash >> 61];
}
static_assert(kKnownShapes == 1 << (64 - 61));

}  // namespace

PyObject* given_argument(PyObject* arguments, Py_ssize_t position, PyObject* keywords, PyObject* name) {
  if (python.PyTuple_Size(arguments) > position) return python.PyTuple_GetItem(arguments, position);
  return python.PyDict_GetItemWithError(keywords, name);
}

PyObject* shape_of_input(PyObject* value) {
  static constinit PyObject* shape_name = nullptr;
  Owned shape(python.PyObject_GetAttr(value, interned(shape_name, "shape")));
  if (shape && !is_a(shape.get(), python.tuple_type)) {
    shape = Owned(python.PyObject_CallFunctionObjArgs(shape.get(), static_cast<PyObject*>(nullptr)));
  }
  return shape.release();
}

uint32_t feed_shapes_id(const Shapes& shapes) {
  if (shapes.tensors == 0) return 0;
  KnownShapes& known = known_place(shapes);
  if (known.id == 0 || !(known.shapes == shapes)) known = {.shapes = shapes, .id = intern_shapes(shapes)};
  return known.id;
}

bool read_feed_shapes(PyObject* feed, Shapes* shapes) {
  if (!is_a(feed, python.dict_type)) return read_mapping(feed, shapes);
  Py_ssize_t position = 0;
  PyObject* name;
  PyObject* value;
  for (Py_ssize_t i = 0; i < kMostInputs && python.PyDict_Next(feed, &position, &name, &value) != 0; ++i) {
    // Reading the shape may run code of the program, which may change the dictionary.
    const Owned kept = Owned::share(value);
    if (!add_input(value, shapes)) return false;
  }
  return true;
}

bool read_input_shapes(InputPlace place, PyObject* arguments, PyObject* keywords, Shapes* shapes) {
  static constinit PyObject* feed_name = nullptr;
  static constinit PyObject* values_name = nullptr;
  static constinit PyObject* binding_name = nullptr;
  PyObject* given = nullptr;
  if (place == InputPlace::kFeed) given = given_argument(arguments, 2, keywords, interned(feed_name, "input_feed"));
  if (place == InputPlace::kValueFeed) {
    given = given_argument(arguments, 2, keywords, interned(values_name, "input_dict_ort_values"));
  }
  if (place == InputPlace::kBinding)
    given = given_argument(arguments, 1, keywords, interned(binding_name, "iobinding"));
  if (given == nullptr) return true;
  const Owned kept = Owned::share(given);
  return place == InputPlace::kBinding ? read_bound_shapes(given, shapes) : read_feed_shapes(given, shapes);
}

}  // namespace xsp::guest
