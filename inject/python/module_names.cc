#include "inject/python/module_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string_view>

#include "inject/python/constructors.h"
#include "inject/python/keras_layers.h"
#include "inject/python/module_table.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr size_t kMaxNameBytes = 1024;
constexpr int kMaxDepth = 100;
constexpr uint32_t kMostNamedInstances = 1000;

/// How many modules may be looked at below the outer module in each call of a root, to name those that the first walk
/// did not find.
constexpr int kSearchBudget = 256;
constinit int search_budget = 0;
constinit uint32_t instances = 0;

/// Counts the walks from roots; 0 is no walk.
constinit uint32_t walks = 0;

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

uint32_t class_name(PyObject* object, char* copy, size_t capacity) {
  const Owned type(python.PyObject_Type(object));
  return intern_attribute(type.get(), "__name__", copy, capacity);
}

/// The class's name; for a scripted module the name of the class it was made from, for a compiled one that of its
/// original.
uint32_t type_of(PyObject* module, bool* is_script) {
  char name[256];
  const uint32_t id = class_name(module, name, sizeof name);
  *is_script = strcmp(name, "RecursiveScriptModule") == 0 || strcmp(name, "TopLevelTracedModule") == 0 ||
               strcmp(name, "TracedModule") == 0;
  if (*is_script) {
    const uint32_t original = intern_attribute(module, "original_name", name, sizeof name);
    return original != 0 ? original : id;
  }
  if (strcmp(name, "OptimizedModule") != 0) return id;
  *is_script = true;
  const Owned original(python.PyObject_GetAttrString(module, "_orig_mod"));
  if (!original) python.PyErr_Clear();
  const uint32_t original_name = original ? class_name(original.get(), name, sizeof name) : 0;
  return original_name != 0 ? original_name : id;
}

/// Determines a module's type again if its class was exchanged, as lazy modules do at their first call.
void retype_if_changed(Module& module) {
  const Owned type(python.PyObject_Type(module.object));
  if (module.type_object == type.get()) return;
  module.type_object = type.get();
  bool is_script = false;
  const uint32_t name = type_of(module.object, &is_script);
  for (ModuleInfo* info = module.infos; info != nullptr; info = info->next) {
    info->type = name;
    info->is_script = is_script;
    info->threads.is_resolved = false;
  }
}

ModuleInfo* add(PyObject* object, uint32_t instance, std::string_view name) {
  Module* module = enter_module(object);
  ModuleInfo* info = module == nullptr ? nullptr : add_info(*module, instance);
  if (info == nullptr) return nullptr;
  module->type_object = nullptr;
  retype_if_changed(*module);
  info->name = name.empty() ? info->type : intern(name);
  return info;
}

ModuleInfo* known_info(PyObject* object, uint32_t instance) {
  const Module* module = find_module(object);
  return module == nullptr ? nullptr : find_info(*module, instance);
}

/// The attribute `_modules`: a new reference, or null.
PyObject* children_of(PyObject* module) {
  static constinit PyObject* name = nullptr;
  if (name == nullptr) name = python.PyUnicode_InternFromString("_modules");
  PyObject* children = python.PyObject_GetAttr(module, name);
  if (children == nullptr) {
    python.PyErr_Clear();
  } else if (!is_a(children, python.dict_type)) {
    python.Py_DecRef(children);
    return nullptr;
  }
  return children;
}

void set_place(ModuleInfo& info, PyObject* parent, PyObject* key) {
  info.parent = parent;
  if (info.key == key) return;
  if (key != nullptr) python.Py_IncRef(key);
  if (info.key != nullptr) python.Py_DecRef(info.key);
  info.key = key;
}

/// Goes through a module's registered children, depth first, in the order of named_modules(); a module's first place
/// names it. Stops when `budget` modules were looked at. With a `number`, modules that an earlier walk named are
/// renamed.
struct Walk {
  uint32_t instance;
  int budget;
  uint32_t number;
  char name[kMaxNameBytes];

  void visit(PyObject* module, size_t length, int depth) {
    const Owned children(children_of(module));
    if (!children || depth == kMaxDepth) return;
    Py_ssize_t position = 0;
    PyObject* key;
    PyObject* child;
    while (python.PyDict_Next(children.get(), &position, &key, &child) != 0 && budget > 0) {
      if (child == python.none) continue;
      budget--;
      const char* text = python.PyUnicode_AsUTF8AndSize(key, nullptr);
      if (text == nullptr) {
        python.PyErr_Clear();
        continue;
      }
      const int added = snprintf(name + length, kMaxNameBytes - length, length == 0 ? "%s" : ".%s", text);
      const size_t child_length = length + static_cast<size_t>(added);
      if (child_length < kMaxNameBytes) enter({module, key, child}, child_length, depth);
      name[length] = '\0';
    }
  }

 private:
  struct Place {
    PyObject* parent;
    PyObject* key;
    PyObject* child;
  };

  void enter(const Place& place, size_t length, int depth) {
    ModuleInfo* info = known_info(place.child, instance);
    if (info == nullptr) {
      info = add(place.child, instance, {name, length});
      if (info == nullptr) return;
      set_place(*info, place.parent, place.key);
      info->walk = number;
    } else if (number != 0) {
      if (info->walk == number) return;
      info->name = intern({name, length});
      set_place(*info, place.parent, place.key);
      info->walk = number;
    }
    visit(place.child, length, depth + 1);
  }
};

/// The prefix of the names of modules below `info`'s module: nothing for the root.
size_t copy_prefix(PyObject* root, PyObject* module, const ModuleInfo& info, char* to) {
  to[0] = '\0';
  if (module == root) return 0;
  Process* process = awake_process();
  if (process == nullptr) return 0;
  const LockGuard lock(process->lock);
  const std::string_view text = process->strings.text(process->region, info.name).substr(0, kMaxNameBytes - 1);
  memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  return text.size();
}

/// The name of a module that no module below the open one registers: "encoder.(Softmax)"; of a layer of Keras its own,
/// "encoder.softmax_1".
uint32_t name_of_unregistered(PyObject* root, PyObject* outer, const ModuleInfo& outer_info, PyObject* module) {
  char prefix[kMaxNameBytes];
  const size_t length = copy_prefix(root, outer, outer_info, prefix);
  char own[256];
  const bool is_named = keras_layer_name(module, own, sizeof own);
  if (!is_named) class_name(module, own, sizeof own);
  char name[kMaxNameBytes + 300];
  snprintf(name, sizeof name, is_named ? "%.*s%s%s" : "%.*s%s(%s)", static_cast<int>(length), prefix,
           length == 0 ? "" : ".", own);
  return intern(name);
}

/// A module that the first walk did not find: registered later below the open module, or made inside its forward.
ModuleInfo* add_late(PyObject* root, uint32_t instance, PyObject* outer, PyObject* module) {
  const ModuleInfo* outer_info = known_info(outer, instance);
  if (outer_info == nullptr) return add(module, instance, {});
  Walk walk{.instance = instance, .budget = search_budget, .number = 0, .name = ""};
  const size_t length = copy_prefix(root, outer, *outer_info, walk.name);
  walk.visit(outer, length, 0);
  search_budget = walk.budget;
  if (ModuleInfo* found = known_info(module, instance)) return found;
  ModuleInfo* info = add(module, instance, {});
  if (info != nullptr) info->name = name_of_unregistered(root, outer, *outer_info, module);
  return info;
}

/// Names all modules that the root has registered by their present place.
void walk_from(PyObject* root, uint32_t instance) {
  if (++walks == 0) walks = 1;
  if (ModuleInfo* info = known_info(root, instance)) info->walk = walks;
  Walk walk{.instance = instance, .budget = INT32_MAX, .number = walks, .name = ""};
  walk.visit(root, 0, 0);
}

/// Whether the module, or one between it and the open module, is no longer registered where it was when it was named.
bool has_moved(PyObject* module, const ModuleInfo* info, PyObject* outer) {
  for (int depth = 0; info != nullptr && info->key != nullptr && depth < kMaxDepth; ++depth) {
    PyObject* parent = info->parent;
    const ModuleInfo* parent_info = known_info(parent, info->instance);
    if (parent_info == nullptr) return true;  // it has died
    const Owned children(children_of(parent));
    if (!children || python.PyDict_GetItem(children.get(), info->key) != module) return true;
    if (parent == outer) return false;
    module = parent;
    info = parent_info;
  }
  return false;
}

/// Renames a module that has moved. If the walk does not find it, it is named like a module made in forward, and not
/// looked for again.
void rename(PyObject* root, PyObject* outer, PyObject* module, ModuleInfo& info) {
  walk_from(root, info.instance);
  if (info.walk == walks) return;
  set_place(info, nullptr, nullptr);
  const ModuleInfo* outer_info = known_info(outer, info.instance);
  info.name = outer_info == nullptr ? info.type : name_of_unregistered(root, outer, *outer_info, module);
}

}  // namespace

uint32_t root_instance(PyObject* root) {
  Module* module = enter_module(root);
  if (module == nullptr) return 0;
  if (module->instance == 0) module->instance = ++instances;
  return module->instance;
}

RootCall begin_root_call(PyObject* root) {
  Module* module = enter_module(root);
  if (module == nullptr) return {.instance = 0, .is_construction = false};
  if (module->instance == 0) module->instance = ++instances;
  // Walking the stack takes longer than all else of a call: only until it has once found no constructor.
  if (__builtin_expect(!module->was_evaluated, 0)) module->was_evaluated = !is_inside_constructor();
  return {.instance = module->instance, .is_construction = !module->was_evaluated};
}

ModuleInfo* module_info(PyObject* root, uint32_t instance, PyObject* outer, PyObject* module) {
  if (root == module && outer == nullptr) search_budget = kSearchBudget;
  if (Module* known = find_module(module)) {
    retype_if_changed(*known);
    if (ModuleInfo* info = find_info(*known, instance)) {
      if (outer != nullptr && outer != module && has_moved(module, info, outer)) rename(root, outer, module, *info);
      return info;
    }
  }
  if (outer != nullptr) return add_late(root, instance, outer, module);
  ModuleInfo* info = add(root, instance, {});
  if (info == nullptr) return nullptr;
  walk_from(root, instance);
  return info;
}

uint32_t instance_scope(ModuleInfo& root) {
  if (root.scope != 0 || root.instance > kMostNamedInstances) return root.scope;
  Process* process = awake_process();
  if (process == nullptr) return 0;
  char text[320];
  {
    const LockGuard lock(process->lock);
    const std::string_view type = process->strings.text(process->region, root.type).substr(0, 256);
    snprintf(text, sizeof text, "%.*s #%u", static_cast<int>(type.size()), type.data(), root.instance);
  }
  root.scope = intern(text);
  return root.scope;
}

}  // namespace xsp::guest
