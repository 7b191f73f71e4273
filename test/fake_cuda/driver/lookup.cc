// For cuGetProcAddress: a table, so that looking something up passes no function that others may have wrapped.
#include <cstring>

#include "entry.h"

using namespace fake;

namespace fake_names {
#define FUNCTION(name) extern "C" int name();
#include "functions.inc"
#undef FUNCTION
}  // namespace fake_names

namespace {

struct Entry {
  const char* name;
  int (*function)();
};
const Entry kFunctions[] = {
#define FUNCTION(name) {#name, fake_names::name},
#include "functions.inc"
#undef FUNCTION
};

void* named(const std::string& name) {
  for (const Entry& entry : kFunctions)
    if (name == entry.name) return reinterpret_cast<void*>(entry.function);
  return nullptr;
}

}  // namespace

void* fake::find_function(const char* symbol, bool per_thread) {
  for (const char* end : {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds", "_v2", ""}) {
    if (!per_thread && strstr(end, "_pt") != nullptr) continue;
    if (void* const function = named(std::string(symbol) + end)) return function;
  }
  return nullptr;
}
