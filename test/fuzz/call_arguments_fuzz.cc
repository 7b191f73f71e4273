/// Entry for what the guest captured of calls: a function's name, the layout of its arguments, a line each, and their
/// values. The call goes through the loader, and everything that reads arguments sees it.

#include <cstddef>
#include <cstdint>

#include "analysis/trace/call_arguments.h"
#include "analysis/trace/loader.h"
#include "analysis/work/call_work.h"
#include "test/analysis/support/trace_builder.h"
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace xsp;
  test::FuzzInput input(data, size);
  test::SpanSpec call{.begin = 30, .end = 40, .id = 93, .level = LEVEL_LIBRARY, .kind = KIND_LIBRARY_CALL};
  call.name = input.line();
  call.type = input.line();
  call.layout = input.line();
  call.values = input.rest();
  const auto layout = analysis::ArgumentLayout::parse(call.layout);
  for (const auto& field : layout.fields) (void)field.name_of(static_cast<int64_t>(size));

  test::TraceBuilder builder;
  builder.add_process(10);
  builder.add(call);
  const std::string bytes = builder.bytes();
  analysis::Trace trace;
  analysis::MemorySource source(bytes);
  if (!analysis::load_trace(source, "fuzz.pb", &trace).ok()) return 0;
  for (analysis::Row row = 0; row < trace.spans.size(); ++row) {
    const analysis::CallArguments arguments(trace, row);
    (void)arguments.display();
    (void)arguments.comparable();
    (void)arguments.status();
    for (const char* name : {"m", "n", "k", "x", "w", "alpha", "plan"}) {
      (void)arguments.integer(name);
      (void)arguments.number(name);
      (void)arguments.text(name);
    }
    (void)analysis::call_work(trace, row);
  }
  return 0;
}
