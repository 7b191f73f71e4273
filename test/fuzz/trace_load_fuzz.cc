/// Fuzz entry of the trace loader and everything behind it: clang++ -fsanitize=fuzzer, or trace_mutation_test.cc.

#include <cstddef>
#include <cstdint>

#include "test/analysis/support/trace_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::test::report_everything({reinterpret_cast<const char*>(data), size});
  return 0;
}
