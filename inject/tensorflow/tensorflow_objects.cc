#include "inject/tensorflow/tensorflow_objects.h"

#include <string.h>

namespace xsp::guest {
namespace {

bool is_tensorflow(const ElfObject& object) {
  const char* name = object.file_name();
  return strncmp(name, "libtensorflow", 13) == 0 || strncmp(name, "_pywrap_tensorflow_internal", 27) == 0;
}

}  // namespace

void* TensorflowObjects::find(const char* symbol) const {
  void* function = nullptr;
  for (size_t i = 0; i < count && function == nullptr; ++i) function = find_symbol(objects[i], symbol, nullptr);
  return function;
}

TensorflowObjects find_tensorflow_objects() {
  TensorflowObjects found;
  each_object([&](const ElfObject& object) {
    if (is_tensorflow(object) && found.count < TensorflowObjects::kMost) found.objects[found.count++] = object;
    return false;
  });
  return found;
}

}  // namespace xsp::guest
