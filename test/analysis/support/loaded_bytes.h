#pragma once

#include <string>

#include "analysis/trace/loader.h"
#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

inline Status load(const std::string& bytes, analysis::Trace* trace) {
  analysis::MemorySource source(bytes);
  return analysis::load_trace(source, "test.pb", trace);
}

inline std::string small_trace() {
  TraceBuilder builder;
  builder.add_process(4242);
  builder.add_evaluation(10, {3, 2});
  builder.add_evaluation(20, {2, 2});
  return builder.bytes();
}

}  // namespace xsp::test
