#include <string>

#include "analysis/findings/finding.h"
#include "test/analysis/support/finding_tables.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::count;
using test::FindingTables;
using test::word;

/// Calls of Keras of 5 ms each, with two layers whose operators take `operator_us` each.
std::string calls(int64_t operator_us, int layer_kind = KIND_TORCH_MODULE) {
  test::TraceBuilder builder;
  uint32_t id = 0;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t begin = i * 6'000'000;
    test::SpanSpec call{.begin = begin, .end = begin + 5'000'000, .level = LEVEL_MODEL, .kind = KIND_RUN};
    call.id = ++id;
    call.name = "net";
    call.type = "TensorFlow";
    builder.add(call);
    for (int64_t n = 0; n < 2; ++n) {
      const int64_t at = begin + 1'000 + n * 2'400'000;
      test::SpanSpec layer{.begin = at, .end = at + 2'300'000, .kind = layer_kind, .name = "dense"};
      layer.id = ++id;
      layer.parent = call.id;
      builder.add(layer);
      test::SpanSpec work{
          .begin = at + 100, .end = at + 100 + operator_us * 1000, .kind = KIND_OPERATOR, .name = "MatMul"};
      work.id = ++id;
      work.parent = layer.id;
      work.level = LEVEL_APPLICATION;
      builder.add(work);
    }
  }
  return builder.bytes();
}

TEST_CASE("eager calls of Keras that compute for a small part tell what the rest is") {
  FindingTables tables(calls(500));
  tables.add("A6", {"type", "count", "latency_ms", "latency_pct"}, {{word("Dense"), count(2), 4.6, 100.0}});
  const Finding* finding = tables.find("eager-dispatch");
  REQUIRE(finding != nullptr);
  CHECK(contains(finding->text,
                 "2 operators, run one by one from Python (eager mode), compute for 1.00 ms of every "
                 "5.00 ms call (20 %)"));
  CHECK(contains(finding->advice, "tf.function"));
  CHECK(*finding->gain_ms == Approx(4.0));
}

TEST_CASE("calls that mostly compute, and those without layers of Keras, are not told to be eager") {
  CHECK(FindingTables(calls(2'000)).find("eager-dispatch") == nullptr);
  CHECK(FindingTables(calls(500, KIND_ANNOTATION)).find("eager-dispatch") == nullptr);
}

}  // namespace
}  // namespace xsp::analysis
