#include "inject/python/module_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string_view>

#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr size_t kMaxNameBytes = 1024;
constexpr int kMaxDepth = 100;

/// Open addressing over (root, module); a removed entry leaves a tombstone.
struct Table {
  ModuleInfo** entries;
  size_t capacity;  // a power of two
  size_t filled;    // entries and tombstones
};
constinit Table table{};
ModuleInfo* const kTombstone = reinterpret_cast<ModuleInfo*>(1);

size_t slot_of(PyObject* root, PyObject* module) {
  const auto a = reinterpret_cast<uintptr_t>(root) >> 4;
  const auto b = reinterpret_cast<uintptr_t>(module) >> 4;
  return ((a * 0x9E3779B97F4A7C15u) ^ (b * 0xC2B2AE3D27D4EB4Fu)) >> 20;
}

ModuleInfo* find(PyObject* root, PyObject* module) {
  if (table.capacity == 0) return nullptr;
  for (size_t at = slot_of(root, module);; ++at) {
    ModuleInfo* info = table.entries[at & (table.capacity - 1)];
    if (info == nullptr) return nullptr;
    if (info != kTombstone && info->module == module && info->root == root) return info;
  }
}

void place(Table& to, ModuleInfo* info) {
  size_t at = slot_of(info->root, info->module);
  while (to.entries[at & (to.capacity - 1)] != nullptr) ++at;
  to.entries[at & (to.capacity - 1)] = info;
  to.filled++;
}

bool reserve() {
  if (table.filled * 2 < table.capacity) return true;
  Table bigger{nullptr, table.capacity == 0 ? 1024 : table.capacity * 2, 0};
  bigger.entries = static_cast<ModuleInfo**>(calloc(bigger.capacity, sizeof(void*)));
  if (bigger.entries == nullptr) return false;
  for (size_t i = 0; i < table.capacity; ++i) {
    if (table.entries[i] != nullptr && table.entries[i] != kTombstone) place(bigger, table.entries[i]);
  }
  free(table.entries);
  table = bigger;
  return true;
}

/// Weak reference callback: `self` holds the address of the module that died. Its entries go, and those under it.
PyObject* on_module_death(PyObject* self, PyObject* const*, Py_ssize_t) {
  const auto dead = reinterpret_cast<PyObject*>(python.PyLong_AsUnsignedLongLong(self));
  for (size_t i = 0; i < table.capacity; ++i) {
    ModuleInfo* info = table.entries[i];
    if (info == nullptr || info == kTombstone || (info->module != dead && info->root != dead)) continue;
    table.entries[i] = kTombstone;
    python.Py_DecRef(info->weak_reference);
    free(info);
  }
  return return_none();
}

PyMethodDef death_callback = {"xsp_module_died", reinterpret_cast<void*>(on_module_death), kMethodFastCall, nullptr};

PyObject* watch_death(PyObject* module) {
  const Owned address(python.PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(module)));
  const Owned callback(python.PyCFunction_NewEx(&death_callback, address.get(), nullptr));
  if (!address || !callback) return nullptr;
  return python.PyWeakref_NewRef(module, callback.get());
}

uint32_t intern_attribute(PyObject* object, const char* attribute, char* copy, size_t capacity) {
  copy[0] = '\0';
  const Owned value(python.PyObject_GetAttrString(object, attribute));
  const char* text = value ? python.PyUnicode_AsUTF8AndSize(value.get(), nullptr) : nullptr;
  if (text == nullptr) {
    python.PyErr_Clear();
    return 0;
  }
  snprintf(copy, capacity, "%s", text);
  return intern(copy);
}

/// The class's name; of a scripted module that of the class it was made from, of a compiled one that of its original.
uint32_t type_of(PyObject* module, bool* is_script) {
  char name[256];
  const Owned type(python.PyObject_Type(module));
  const uint32_t id = intern_attribute(type.get(), "__name__", name, sizeof name);
  *is_script = strcmp(name, "RecursiveScriptModule") == 0 || strcmp(name, "TopLevelTracedModule") == 0 ||
               strcmp(name, "TracedModule") == 0;
  if (*is_script) {
    const uint32_t original = intern_attribute(module, "original_name", name, sizeof name);
    return original != 0 ? original : id;
  }
  if (strcmp(name, "OptimizedModule") == 0) {
    const Owned original(python.PyObject_GetAttrString(module, "_orig_mod"));
    if (!original) {
      python.PyErr_Clear();
      return id;
    }
    const Owned original_type(python.PyObject_Type(original.get()));
    const uint32_t original_name = intern_attribute(original_type.get(), "__name__", name, sizeof name);
    return original_name != 0 ? original_name : id;
  }
  return id;
}

ModuleInfo* add(PyObject* root, PyObject* module, std::string_view name) {
  if (!reserve()) return nullptr;
  auto* info = static_cast<ModuleInfo*>(calloc(1, sizeof(ModuleInfo)));
  if (info == nullptr) return nullptr;
  info->root = root;
  info->module = module;
  info->weak_reference = watch_death(module);
  if (info->weak_reference == nullptr) {
    python.PyErr_Clear();
    free(info);
    return nullptr;
  }
  info->type = type_of(module, &info->is_script);
  info->name = name.empty() ? info->type : intern(name);
  place(table, info);
  return info;
}

/// Depth first, a module's first place names it: the order and rule of named_modules().
void walk(PyObject* root, PyObject* module, char* name, size_t length, int depth) {
  if (find(root, module) == nullptr) add(root, module, {name, length});
  const Owned children(python.PyObject_GetAttrString(module, "_modules"));
  if (!children) python.PyErr_Clear();
  if (!children || depth == kMaxDepth || !is_a(children.get(), python.dict_type)) return;
  Py_ssize_t position = 0;
  PyObject* key;
  PyObject* child;
  while (python.PyDict_Next(children.get(), &position, &key, &child) != 0) {
    if (child == python.none || find(root, child) != nullptr) continue;
    const char* text = python.PyUnicode_AsUTF8AndSize(key, nullptr);
    if (text == nullptr) {
      python.PyErr_Clear();
      continue;
    }
    const int added = snprintf(name + length, kMaxNameBytes - length, length == 0 ? "%s" : ".%s", text);
    const size_t child_length = length + static_cast<size_t>(added);
    if (child_length < kMaxNameBytes) walk(root, child, name, child_length, depth + 1);
    name[length] = '\0';
  }
}

void forget(PyObject* root) {
  for (size_t i = 0; i < table.capacity; ++i) {
    ModuleInfo* info = table.entries[i];
    if (info == nullptr || info == kTombstone || info->root != root) continue;
    table.entries[i] = kTombstone;
    python.Py_DecRef(info->weak_reference);
    free(info);
  }
}

}  // namespace

ModuleInfo* module_info(PyObject* root, PyObject* module) {
  if (ModuleInfo* info = find(root, module)) return info;
  char name[kMaxNameBytes] = "";
  // A module that came into the tree since the last walk: names may have moved, so all of them are read anew.
  if (root != module) forget(root);
  walk(root, root, name, 0, 0);
  if (ModuleInfo* info = find(root, module)) return info;
  return add(root, module, {});  // called by the root, but not registered in it
}

}  // namespace xsp::guest
