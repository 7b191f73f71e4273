// Entry points: modules and the functions in them. Any image will do, and has a kernel of any name but "missing...".
#include <cstring>

#include "entry.h"

using namespace fake;

namespace {

int load_module(Module** module) {
  if (usable() != kSuccess) return kNotInitialized;
  auto* const made = new Module;
  {
    std::lock_guard held(state().lock);
    state().live.insert(made);
  }
  tell_resource(6, current_context(), nullptr, nullptr);
  *module = made;
  return kSuccess;
}

int unload_module(Module* module) {
  if (usable() != kSuccess) return kNotInitialized;
  {
    std::lock_guard held(state().lock);
    if (!state().live.count(module)) return kInvalidHandle;
  }
  tell_resource(7, current_context(), nullptr, nullptr);
  std::unique_lock held(state().lock);
  if (current_context() != nullptr) wait_for_context(held, *current_context());
  state().live.erase(module);
  for (const auto& [name, function] : module->functions) delete function;
  delete module;
  return kSuccess;
}

int function_of(Module* module, const char* name, Function** function) {
  std::lock_guard held(state().lock);
  if (!state().live.count(module)) return kInvalidHandle;
  if (strncmp(name, "missing", 7) == 0) return kNotFound;
  Function*& found = module->functions[name];
  if (found == nullptr) found = new Function{name};
  *function = found;
  return kSuccess;
}

}  // namespace

EXPORT int cuModuleLoadData(Module** module, const void* image) {
  struct {
    void* module;
    const void* image;
  } parameters = {module, image};
  return api_call("cuModuleLoadData", 19, &parameters, [&] { return load_module(module); });
}
EXPORT int cuModuleLoadFatBinary(Module** module, const void* image) {
  struct {
    void* module;
    const void* image;
  } parameters = {module, image};
  return api_call("cuModuleLoadFatBinary", 21, &parameters, [&] { return load_module(module); });
}
EXPORT int cuModuleUnload(Module* module) {
  return api_call("cuModuleUnload", 22, &module, [&] { return unload_module(module); });
}
EXPORT int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  struct {
    void *function, *module;
    const char* name;
  } parameters = {function, module, name};
  return api_call("cuModuleGetFunction", 23, &parameters, [&] { return function_of(module, name, function); });
}
EXPORT int cuLibraryLoadData(Module** library, const void* code, int*, void**, unsigned, int*, void**, unsigned) {
  struct {
    void* library;
    const void* code;
  } parameters = {library, code};
  return api_call("cuLibraryLoadData", 678, &parameters, [&] { return load_module(library); });
}
EXPORT int cuLibraryUnload(Module* library) {
  return api_call("cuLibraryUnload", 680, &library, [&] { return unload_module(library); });
}
EXPORT int cuLibraryGetKernel(Function** kernel, Module* library, const char* name) {
  struct {
    void *kernel, *library;
    const char* name;
  } parameters = {kernel, library, name};
  return api_call("cuLibraryGetKernel", 681, &parameters, [&] { return function_of(library, name, kernel); });
}
EXPORT int cuKernelGetFunction(Function** function, Function* kernel) {
  struct {
    void *function, *kernel;
  } parameters = {function, kernel};
  return api_call("cuKernelGetFunction", 683, &parameters, [&] {
    *function = kernel;
    return kSuccess;
  });
}
EXPORT int cuFuncGetName(const char** name, Function* function) {
  struct {
    void *name, *function;
  } parameters = {name, function};
  return api_call("cuFuncGetName", 718, &parameters, [&] {
    *name = function->name.c_str();
    return kSuccess;
  });
}
