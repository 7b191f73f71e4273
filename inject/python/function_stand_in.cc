#include "inject/python/function_stand_in.h"

#include <stddef.h>
#include <string.h>

namespace xsp::guest {
namespace {

/// A PyObject begins with its reference count and its type, but for builds that trace references.
struct StandIn {
  void* head[2];
  VectorCall call;
  PyObject* function;
};

/// Names and numbers of CPython's stable ABI: typeslots.h, descrobject.h, object.h.
struct PyMemberDef {
  const char* name;
  int type;
  Py_ssize_t offset;
  int flags;
  const char* documentation;
};

struct PyTypeSlot {
  int slot;
  void* value;
};

struct PyTypeSpec {
  const char* name;
  int basic_size;
  int item_size;
  unsigned flags;
  PyTypeSlot* slots;
};

constexpr int kSlotCall = 50;
constexpr int kSlotDescriptorGet = 54;
constexpr int kSlotGetAttribute = 58;
constexpr int kSlotHash = 59;
constexpr int kSlotMethods = 64;
constexpr int kSlotRepr = 66;
constexpr int kSlotRichCompare = 67;
constexpr int kSlotSetAttribute = 69;
constexpr int kSlotMembers = 72;

constexpr unsigned kHasVectorCall = 1U << 11;
constexpr unsigned kIsMethodDescriptor = 1U << 17;
constexpr unsigned kHasVersionTag = 1U << 18;

constexpr int kMemberOfSizeType = 19;
constexpr int kReadOnly = 1;

/// Functions that only this file needs. A stand-in is made for CPython 3.9 to 3.11, which have them all.
struct {
  PyObject* (*PyType_FromSpec)(PyTypeSpec*);
  PyObject* (*PyType_GenericAlloc)(PyObject*, Py_ssize_t);
  PyObject* (*PyVectorcall_Call)(PyObject*, PyObject*, PyObject*);
  PyObject* (*PyMethod_New)(PyObject*, PyObject*);
  PyObject* (*PyObject_GenericGetAttr)(PyObject*, PyObject*);
  PyObject* (*PyObject_Repr)(PyObject*);
  Py_ssize_t (*PyObject_Hash)(PyObject*);
  PyObject* (*PyObject_RichCompare)(PyObject*, PyObject*, int);
} api;

PyObject* stand_in_type = nullptr;

PyObject* function_of(PyObject* stand_in) { return reinterpret_cast<StandIn*>(stand_in)->function; }

/// What the function has of its own would lead past us.
bool is_own_attribute(PyObject* name) {
  Py_ssize_t size = 0;
  const char* text = python.PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) {
    python.PyErr_Clear();
    return false;
  }
  static constexpr const char* kOwn[] = {"__call__", "__get__", "__reduce__", "__reduce_ex__"};
  for (const char* own : kOwn) {
    if (strcmp(text, own) == 0) return true;
  }
  return false;
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  if (is_own_attribute(name)) return api.PyObject_GenericGetAttr(self, name);
  return python.PyObject_GetAttr(function_of(self), name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return python.PyObject_SetAttr(function_of(self), name, value);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (object != nullptr && object != python.none) return api.PyMethod_New(self, object);
  python.Py_IncRef(self);
  return self;
}

PyObject* represent(PyObject* self) { return api.PyObject_Repr(function_of(self)); }

Py_ssize_t hash(PyObject* self) { return api.PyObject_Hash(function_of(self)); }

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  const Owned type(python.PyObject_Type(other));
  return api.PyObject_RichCompare(function_of(self), type.get() == stand_in_type ? function_of(other) : other,
                                  operation);
}

/// For pickle and copy: a function is known by its name, which is looked up in its module.
PyObject* name_for_pickle(PyObject* self, PyObject*) {
  return python.PyObject_GetAttrString(function_of(self), "__qualname__");
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", kMemberOfSizeType, offsetof(StandIn, call), kReadOnly, nullptr},
    {},
};

PyMethodDef stand_in_methods[] = {
    {"__reduce__", reinterpret_cast<void*>(name_for_pickle), kMethodVarArgs, nullptr},
    {"__reduce_ex__", reinterpret_cast<void*>(name_for_pickle), kMethodVarArgs, nullptr},
    {},
};

bool load_api() {
  return find_in_interpreter(api.PyType_FromSpec, "PyType_FromSpec") &&
         find_in_interpreter(api.PyType_GenericAlloc, "PyType_GenericAlloc") &&
         find_in_interpreter(api.PyVectorcall_Call, "PyVectorcall_Call") &&
         find_in_interpreter(api.PyMethod_New, "PyMethod_New") &&
         find_in_interpreter(api.PyObject_GenericGetAttr, "PyObject_GenericGetAttr") &&
         find_in_interpreter(api.PyObject_Repr, "PyObject_Repr") &&
         find_in_interpreter(api.PyObject_Hash, "PyObject_Hash") &&
         find_in_interpreter(api.PyObject_RichCompare, "PyObject_RichCompare");
}

/// Whether an object begins with nothing but what StandIn has.
bool has_plain_head() {
  auto* const object_type = static_cast<PyObject*>(find_in_interpreter("PyBaseObject_Type"));
  if (object_type == nullptr) return false;
  const Owned size(python.PyObject_GetAttrString(object_type, "__basicsize__"));
  return size && python.PyLong_AsLongLong(size.get()) == sizeof StandIn::head;
}

PyObject* make_type() {
  if (!has_plain_head() || !load_api()) return nullptr;
  PyTypeSlot slots[] = {
      {kSlotCall, reinterpret_cast<void*>(api.PyVectorcall_Call)},
      {kSlotDescriptorGet, reinterpret_cast<void*>(bind)},
      {kSlotGetAttribute, reinterpret_cast<void*>(get_attribute)},
      {kSlotSetAttribute, reinterpret_cast<void*>(set_attribute)},
      {kSlotRepr, reinterpret_cast<void*>(represent)},
      {kSlotHash, reinterpret_cast<void*>(hash)},
      {kSlotRichCompare, reinterpret_cast<void*>(compare)},
      {kSlotMembers, members},
      {kSlotMethods, stand_in_methods},
      {},
  };
  // The name that messages show: a call with wrong arguments tells of a function.
  PyTypeSpec spec{.name = "builtins.function",
                  .basic_size = sizeof(StandIn),
                  .item_size = 0,
                  .flags = kHasVersionTag | kIsMethodDescriptor | kHasVectorCall,
                  .slots = slots};
  return api.PyType_FromSpec(&spec);
}

}  // namespace

PyObject* make_function_stand_in(PyObject* function, VectorCall call) {
  if (stand_in_type == nullptr) stand_in_type = make_type();
  PyObject* stand_in = stand_in_type == nullptr ? nullptr : api.PyType_GenericAlloc(stand_in_type, 0);
  if (stand_in == nullptr) {
    python.PyErr_Clear();
    return nullptr;
  }
  python.Py_IncRef(function);
  reinterpret_cast<StandIn*>(stand_in)->call = call;
  reinterpret_cast<StandIn*>(stand_in)->function = function;
  return stand_in;
}

}  // namespace xsp::guest
