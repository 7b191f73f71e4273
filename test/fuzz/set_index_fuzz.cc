/// Entry for set.json, the list of a set's runs.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "analysis/trace/set_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::analysis::SetIndex index;
  (void)xsp::analysis::parse_set_index({reinterpret_cast<const char*>(data), size}, &index);
  // Its traces are files of the folder, and never lead out of it.
  for (const auto& run : index.runs) {
    if (run.trace.find('/') != std::string::npos || run.trace == "..") std::abort();
  }
  return 0;
}
