#include "inject/python/module_table.h"

#include <stdlib.h>

namespace xsp::guest {
namespace {

constexpr int kMostRootsOfAModule = 16;

/// Open addressing by the module's address; a removed entry leaves a tombstone, and the table is rebuilt when entries
/// and tombstones fill half of it. The GIL guards it.
struct Table {
  Module** entries;
  size_t capacity;  // a power of two
  size_t live;
  size_t tombstones;
};
constinit Table table{};

Module* tombstone() { return reinterpret_cast<Module*>(1); }
bool is_live(const Module* entry) { return entry != nullptr && entry != tombstone(); }

size_t slot_of(PyObject* object) {
  return static_cast<size_t>((reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15u >> 20);
}

Module** find_slot(PyObject* object) {
  if (table.capacity == 0) return nullptr;
  for (size_t at = slot_of(object);; ++at) {
    Module** slot = &table.entries[at & (table.capacity - 1)];
    if (*slot == nullptr) return nullptr;
    if (*slot != tombstone() && (*slot)->object == object) return slot;
  }
}

void place(Module* module) {
  size_t at = slot_of(module->object);
  while (table.entries[at & (table.capacity - 1)] != nullptr) ++at;
  table.entries[at & (table.capacity - 1)] = module;
}

bool reserve() {
  if ((table.live + table.tombstones) * 2 < table.capacity) return true;
  size_t capacity = 1024;
  while (capacity < table.live * 4) capacity *= 2;
  auto** entries = static_cast<Module**>(calloc(capacity, sizeof(Module*)));  // NOLINT(bugprone-sizeof-expression)
  if (entries == nullptr) return false;
  const Table before = table;
  table = {.entries = entries, .capacity = capacity, .live = before.live, .tombstones = 0};
  for (size_t i = 0; i < before.capacity; ++i) {
    if (is_live(before.entries[i])) place(before.entries[i]);
  }
  free(before.entries);
  return true;
}

void free_info(ModuleInfo* info) {
  if (info->key != nullptr) python.Py_DecRef(info->key);
  free(info->inputs);
  free(info);
}

/// Weak reference callback: `self` holds the address of the module that died.
PyObject* on_module_death(PyObject* self, PyObject* const*, Py_ssize_t) {
  Module** slot = find_slot(reinterpret_cast<PyObject*>(python.PyLong_AsUnsignedLongLong(self)));
  if (slot == nullptr) return return_none();
  Module* module = *slot;
  *slot = tombstone();
  table.live--;
  table.tombstones++;
  while (module->infos != nullptr) {
    ModuleInfo* info = module->infos;
    module->infos = info->next;
    free_info(info);
  }
  python.Py_DecRef(module->weak_reference);
  free(module);
  return return_none();
}

PyMethodDef* death_callback() {
  static constinit PyMethodDef definition{"xsp_module_died", nullptr, kMethodFastCall, nullptr};
  definition.function = reinterpret_cast<void*>(on_module_death);
  return &definition;
}

PyObject* watch_death(PyObject* object) {
  const Owned address(python.PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(object)));
  const Owned callback(python.PyCFunction_NewEx(death_callback(), address.get(), nullptr));
  PyObject* reference = callback ? python.PyWeakref_NewRef(object, callback.get()) : nullptr;
  if (reference == nullptr) python.PyErr_Clear();
  return reference;
}

}  // namespace

Module* find_module(PyObject* object) {
  Module** slot = find_slot(object);
  return slot == nullptr ? nullptr : *slot;
}

Module* enter_module(PyObject* object) {
  if (Module* known = find_module(object)) return known;
  if (!reserve()) return nullptr;
  auto* module = static_cast<Module*>(calloc(1, sizeof(Module)));
  if (module == nullptr) return nullptr;
  module->object = object;
  module->weak_reference = watch_death(object);
  // Making the weak reference may have run a garbage collection, and with it our callback, which changes the table.
  if (module->weak_reference == nullptr || !reserve()) {
    free(module);
    return nullptr;
  }
  place(module);
  table.live++;
  return module;
}

ModuleInfo* add_info(Module& module, uint32_t instance) {
  int others = 0;
  for (ModuleInfo* info = module.infos; info != nullptr; info = info->next) {
    if (++others == kMostRootsOfAModule && info->next != nullptr) {
      free_info(info->next);
      info->next = nullptr;
    }
  }
  auto* info = static_cast<ModuleInfo*>(calloc(1, sizeof(ModuleInfo)));
  if (info == nullptr) return nullptr;
  info->instance = instance;
  info->next = module.infos;
  module.infos = info;
  return info;
}

}  // namespace xsp::guest
