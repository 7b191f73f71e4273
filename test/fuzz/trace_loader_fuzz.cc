/// Entry of the trace loader alone, many times faster than with the report (trace_load_fuzz.cc): the input twice, as
/// concatenated traces, too; then everything that reads arguments.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/trace/call_arguments.h"
#include "analysis/trace/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xsp::analysis;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0 && (data[size - 1] & 1) != 0) bytes += bytes;
  Trace trace;
  MemorySource source(bytes);
  if (!load_trace(source, "fuzz.pb", &trace).ok()) return 0;
  for (Row row = 0; row < trace.spans.size(); ++row) {
    const CallArguments arguments(trace, row);
    if (arguments.any()) (void)arguments.display();
  }
  return 0;
}
