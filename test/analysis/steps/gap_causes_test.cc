#include "analysis/steps/gap_causes.h"

#include <map>
#include <string>

#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

class Host {
 public:
  Host() { builder_.add_process(10); }

  void add(int level, int kind, const std::string& name, int64_t begin_ms, int64_t end_ms, uint32_t ring = 1) {
    SpanSpec span{.begin = begin_ms * kMs, .end = end_ms * kMs, .id = ++id_, .level = level};
    span.kind = kind;
    span.name = span.type = name;
    span.ring = ring;
    builder_.add(span);
  }

  std::map<std::string, int64_t> causes(const analysis::TimeIntervals& gaps_ms) {
    const Analysed analysed({builder_.bytes()});
    REQUIRE(analysed.status.ok());
    analysis::DeviceGaps gaps{.process = analysed.trace.process_of(0)};
    for (const auto& gap : gaps_ms) gaps.gaps.push_back({gap.begin * kMs, gap.end * kMs});
    std::map<std::string, int64_t> causes;
    int64_t last = INT64_MAX;
    for (const auto& cause : causes_of_gaps(analysed.trace, analysed.evaluations, {gaps})) {
      CHECK(cause.ns <= last);
      last = cause.ns;
      causes[cause.name] = cause.ns / kMs;
    }
    return causes;
  }

 private:
  TraceBuilder builder_;
  uint32_t id_ = 0;
};

using Causes = std::map<std::string, int64_t>;

TEST_CASE("a gap belongs to calls, then to layers, then to annotations, and each moment once") {
  Host host;
  host.add(LEVEL_APPLICATION, KIND_ANNOTATION, "epoch", 0, 100);
  host.add(LEVEL_LAYER, KIND_OPERATOR, "uniform_", 10, 40);
  host.add(LEVEL_RUNTIME, KIND_RUNTIME_CALL, "cudaMalloc", 20, 25);
  CHECK(host.causes({{0, 50}}) == Causes{{"cudaMalloc", 5}, {"uniform_", 25}, {"epoch", 20}});
  CHECK(host.causes({{22, 30}}) == Causes{{"cudaMalloc", 3}, {"uniform_", 5}});
  CHECK(host.causes({{5, 15}, {38, 41}}) == Causes{{"uniform_", 7}, {"epoch", 6}});
}

TEST_CASE("of nested and of concurrent spans the first to begin has the time") {
  Host host;
  host.add(LEVEL_APPLICATION, KIND_ANNOTATION, "outer", 0, 20);
  host.add(LEVEL_APPLICATION, KIND_ANNOTATION, "inner", 5, 10);
  host.add(LEVEL_APPLICATION, KIND_ANNOTATION, "beside", 15, 30, 2);
  CHECK(host.causes({{0, 40}}) == Causes{{"outer", 20}, {"beside", 10}});
}

TEST_CASE("marks of steps explain nothing, and a gap may have no cause") {
  Host host;
  host.add(LEVEL_APPLICATION, KIND_ANNOTATION, "ProfilerStep#3", 0, 20);
  CHECK(host.causes({{0, 10}}).empty());
}

}  // namespace
}  // namespace xsp::test
