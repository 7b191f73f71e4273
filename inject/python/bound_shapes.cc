#include "inject/python/bound_shapes.h"

#include "inject/guard/errno_guard.h"
#include "inject/python/feed_shapes.h"
#include "inject/python/python_api.h"
#include "inject/record/hook_timer.h"

namespace xsp::guest {
namespace {

struct BindingNames {
  PyObject* dict;
  PyObject* shapes;
  PyObject* entry;
};
constinit BindingNames binding_names{};

/// The dictionary of the binding's shapes, made if there is none; a new reference.
Owned shapes_of(PyObject* binding) {
  const Owned attributes(python.PyObject_GetAttr(binding, binding_names.dict));
  if (!attributes) return Owned(nullptr);
  Owned known = Owned::share(python.PyDict_GetItemWithError(attributes.get(), binding_names.shapes));
  if (known) return known;
  known = Owned(python.PyDict_New());
  if (!known || python.PyDict_SetItem(attributes.get(), binding_names.shapes, known.get()) != 0) return Owned(nullptr);
  return known;
}

void keep(PyObject* binding, PyObject* entry, const Owned& shape) {
  // A tuple of our own: the program may change its list later.
  const Owned sizes(shape ? python.PySequence_Tuple(shape.get()) : nullptr);
  const Owned known = sizes ? shapes_of(binding) : Owned(nullptr);
  if (known) python.PyDict_SetItem(known.get(), entry, sizes.get());
}

PyObject* keep_bound_shape(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const HookTimer timer(known_thread());
  const ErrnoGuard errno_guard;
  if (count != 5) return return_none();
  PyObject* const binding = python.PyTuple_GetItem(arguments[0], 0);
  PyObject* const entry = given_argument(arguments[0], 1, arguments[1], binding_names.entry);
  const auto position = static_cast<Py_ssize_t>(python.PyLong_AsLongLong(arguments[2]));
  PyObject* const given = given_argument(arguments[0], position, arguments[1], arguments[3]);
  if (binding != nullptr && entry != nullptr && given != nullptr) {
    const Owned kept_entry = Owned::share(entry);
    const Owned kept = Owned::share(given);
    const bool is_shape = python.PyObject_IsTrue(arguments[4]) == 1;
    keep(binding, entry, is_shape ? Owned::share(given) : Owned(shape_of_input(given)));
  }
  return forget_failure() ? return_none() : nullptr;
}

PyMethodDef binding_methods[] = {
    {"keep_bound_shape", reinterpret_cast<void*>(keep_bound_shape), kMethodFastCall, nullptr},
};

}  // namespace

bool read_bound_shapes(PyObject* binding, Shapes* shapes) {
  const Owned attributes(python.PyObject_GetAttr(binding, binding_names.dict));
  if (!attributes) return forget_failure();
  const Owned known = Owned::share(python.PyDict_GetItemWithError(attributes.get(), binding_names.shapes));
  Py_ssize_t position = 0;
  PyObject* name;
  PyObject* sizes;
  while (known && python.PyDict_Next(known.get(), &position, &name, &sizes) != 0) {
    if (!add_sizes(sizes, Shapes::kMostSizes, shapes) && !forget_failure()) return false;
  }
  return true;
}

bool add_bound_shape_functions(PyObject* globals) {
  binding_names = {.dict = python.PyUnicode_InternFromString("__dict__"),
                   .shapes = python.PyUnicode_InternFromString("_xsp_shapes"),
                   .entry = python.PyUnicode_InternFromString("name")};
  if (binding_names.dict == nullptr || binding_names.shapes == nullptr || binding_names.entry == nullptr) return false;
  return add_function(globals, &binding_methods[0]);
}

}  // namespace xsp::guest
