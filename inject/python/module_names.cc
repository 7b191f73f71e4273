#include "inject/python/module_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string_view>

#include "inject/python/module_table.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr size_t kMaxNameBytes = 1024;
constexpr int kMaxDepth = 100;
constexpr uint32_t kMostNamedInstances = 1000;

/// Modules that may be looked at below the outer module, per call of a root, to name those that the first walk did not
/// find.
constexpr int kSearchBudget = 256;
constinit int search_budget = 0;
constinit uint32_t instances = 0;

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

/// The class's name; of a scripted module that of the class it was made from, of a compiled one that of its original.
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

/// A module whose class was exchanged (lazy modules do that at their first call) is typed anew.
void retype_if_changed(Module& module) {
  const Owned type(python.PyObject_Type(module.object));
  if (module.type_object == type.get()) return;
  module.type_object = type.get();
  bool is_script = false;
  const uint32_t name = type_of(module.object, &is_script);
  for (ModuleInfo* info = module.infos; info != nullptr; info = info->next) {
    info->type = name;
    info->is_script = is_script;
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

bool is_known(PyObject* object, uint32_t instance) {
  const Module* module = find_module(object);
  return module != nullptr && find_info(*module, instance) != nullptr;
}

/// Goes through a module's registered children, depth first, in the order of named_modules(); a module's first place
/// names it. Stops when `budget` modules were looked at.
struct Walk {
  uint32_t instance;
  int budget;
  char name[kMaxNameBytes];

  void visit(PyObject* module, size_t length, int depth) {
    const Owned children(python.PyObject_GetAttrString(module, "_modules"));
    if (!children) python.PyErr_Clear();
    if (!children || depth == kMaxDepth || !is_a(children.get(), python.dict_type)) return;
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
      if (child_length < kMaxNameBytes) enter(child, child_length, depth);
      name[length] = '\0';
    }
  }

 private:
  void enter(PyObject* child, size_t length, int depth) {
    if (!is_known(child, instance)) {
      add(child, instance, {name, length});
    } else if (first_walk) {
      return;
    }
    visit(child, length, depth + 1);
  }

 public:
  bool first_walk;
};

/// The name that modules below `info`'s module begin with: nothing for the root.
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

/// A module that the first walk did not find: registered later below the open module, or made inside its forward and
/// then named after it, as "encoder.(Softmax)".
ModuleInfo* add_late(PyObject* root, uint32_t instance, PyObject* outer, PyObject* module) {
  const Module* open = find_module(outer);
  const ModuleInfo* open_info = open == nullptr ? nullptr : find_info(*open, instance);
  if (open_info == nullptr) return add(module, instance, {});
  Walk walk{.instance = instance, .budget = search_budget, .name = "", .first_walk = false};
  const size_t length = copy_prefix(root, outer, *open_info, walk.name);
  walk.visit(outer, length, 0);
  search_budget = walk.budget;
  if (const Module* found = find_module(module)) {
    if (ModuleInfo* info = find_info(*found, instance)) return info;
  }
  char type[256];
  class_name(module, type, sizeof type);
  char name[kMaxNameBytes + 300];
  snprintf(name, sizeof name, "%.*s%s(%s)", static_cast<int>(length), walk.name, length == 0 ? "" : ".", type);
  return add(module, instance, name);
}

}  // namespace

uint32_t root_instance(PyObject* root) {
  Module* module = enter_module(root);
  if (module == nullptr) return 0;
  if (module->instance == 0) module->instance = ++instances;
  return module->instance;
}

ModuleInfo* module_info(PyObject* root, uint32_t instance, PyObject* outer, PyObject* module) {
  if (root == module && outer == nullptr) search_budget = kSearchBudget;
  if (Module* known = find_module(module)) {
    retype_if_changed(*known);
    if (ModuleInfo* info = find_info(*known, instance)) return info;
  }
  if (outer != nullptr) return add_late(root, instance, outer, module);
  ModuleInfo* info = add(root, instance, {});
  if (info == nullptr) return nullptr;
  Walk walk{.instance = instance, .budget = INT32_MAX, .name = "", .first_walk = true};
  walk.visit(root, 0, 0);
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
