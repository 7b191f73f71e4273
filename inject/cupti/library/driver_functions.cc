#include "inject/cupti/library/driver_functions.h"

#include "inject/objects/loaded_library.h"

namespace xsp::guest {

void* driver_function(const char* name) { return symbol_in_loaded_library("libcuda.so", name); }

uint32_t driver_version() {
  auto* get_version = reinterpret_cast<int (*)(int*)>(driver_function("cuDriverGetVersion"));
  int version = 0;
  return get_version != nullptr && get_version(&version) == 0 && version > 0 ? static_cast<uint32_t>(version) : 0;
}

bool driver_is_up() {
  auto* get_count = reinterpret_cast<int (*)(int*)>(driver_function("cuDeviceGetCount"));
  int count = 0;
  return get_count != nullptr && get_count(&count) == 0;
}

}  // namespace xsp::guest
