#include "bound/joining/trace_calls.h"

#include "analysis/study/analysed_trace.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

/// A program that calls a model of two layers; each layer calls BLAS, the second one inside another call. The first
/// call of the model is a warm-up.
class CalledModel {
 public:
  explicit CalledModel(const std::vector<int64_t>& first_us) {
    analysis::Trace& trace = made_.trace;
    trace.files.push_back({.path = "run.pb"});
    trace.segments.push_back({.has_header = true, .producer = "test", .ended = true, .complete = true});
    analysis::Process process;
    process.pid = 10;
    process.said_hello = true;
    trace.processes.push_back(process);
    trace.tracks.push_back({.process = 0, .thread = 100, .ring = 0});
    strings_.define(1, trace.strings.intern("T"));
    strings_.define(2, trace.strings.intern("N"));
    for (const int64_t us : first_us) add_evaluation(us);
    REQUIRE(analysis::analyse({}, {}, &made_).ok());
  }
  CalledModel(const CalledModel&) = delete;
  CalledModel& operator=(const CalledModel&) = delete;

  const analysis::AnalysedTrace& operator*() const { return made_; }

 private:
  void add_evaluation(int64_t us) {
    const uint32_t root = ++last_id_, first = ++last_id_, second = ++last_id_, outer = ++last_id_;
    const int64_t begin = now_;
    const int64_t middle = begin + 2000 + 1000 * us;
    add("sgemm_", "blas", analysis::Level::kLibrary, analysis::Kind::kLibraryCall, {begin + 1000, middle - 1000},
        ++last_id_, first, 5);
    add("fc1", "Linear", analysis::Level::kLayer, analysis::Kind::kTorchModule, {begin + 500, middle - 500}, first,
        root);
    add("sgemm_", "blas", analysis::Level::kLibrary, analysis::Kind::kLibraryCall, {middle + 300, middle + 400},
        ++last_id_, outer, 7);
    add("cblas_sgemm", "cblas", analysis::Level::kLibrary, analysis::Kind::kLibraryCall, {middle + 200, middle + 500},
        outer, second);
    add("fc2", "Linear", analysis::Level::kLayer, analysis::Kind::kTorchModule, {middle + 100, middle + 900}, second,
        root);
    add("Net", "", analysis::Level::kModel, analysis::Kind::kTorchRoot, {begin, middle + 1000}, root, 0);
    now_ = middle + 100'000;
  }

  struct Time {
    int64_t begin, end;
  };
  /// `n`: of a product of 3×4 by 4×n; 0: without arguments.
  void add(const std::string& name, const std::string& type, analysis::Level level, analysis::Kind kind, Time time,
           uint32_t id, uint32_t parent, int64_t n = 0) {
    analysis::Trace& trace = made_.trace;
    analysis::SpanTable& spans = trace.spans;
    const size_t row = spans.size();
    spans.resize(row + 1);
    spans.begin[row] = time.begin;
    spans.end[row] = time.end;
    spans.bytes[row] = analysis::SpanTable::kUnknownBytes;
    spans.name[row] = trace.strings.intern(name);
    spans.type[row] = trace.strings.intern(type);
    spans.id[row] = id;
    spans.parent[row] = parent;
    spans.level[row] = level;
    spans.kind[row] = kind;
    ++trace.processes[0].spans;
    ++trace.segments[0].spans;
    if (n == 0) return;
    std::string values;
    const auto append = [&values](auto value) { values.append(reinterpret_cast<const char*>(&value), sizeof value); };
    append(uint32_t{2});
    append(uint32_t{2});
    append(n);
    append(int64_t{3});
    append(int64_t{4});
    const uint32_t layout =
        trace.strings.intern("class=gemm type_a=R_32F type_b=R_32F type_c=R_32F op_a:s4 op_b:s4 m:i8 n:i8 k:i8");
    uint64_t missing = 0;
    const uint32_t entry = trace.arguments.add(layout, values, trace.strings, strings_, &missing);
    spans.arguments.resize(row + 1);
    spans.arguments[row] = entry + 1;
  }

  analysis::AnalysedTrace made_;
  analysis::ProcessStrings strings_;
  int64_t now_ = 1'000'000;
  uint32_t last_id_ = 0;
};

TEST_CASE("the calls of a trace have their layers, their problems, and the least of their times") {
  const CalledModel model({900, 30, 10, 20, 30, 10});
  JoinedTrace joined;
  joined.layers.resize(2);
  joined.layers[0].index = 1;  // in another order than A2 has them
  joined.layers[1].index = 0;
  add_calls(*model, &joined);
  CHECK(joined.has_library_calls);
  REQUIRE(joined.calls.size() == 3);
  const TraceCall& first = joined.calls[0];
  CHECK(first.call_index == 0);
  CHECK(first.layer == size_t{1});
  CHECK_FALSE(first.enclosing);
  CHECK(first.library == "blas");
  CHECK(first.function == "sgemm_");
  CHECK(first.problem == "matmul src=3x4 wei=4x5 ta=0 tb=0 bias=0 post= dtype=f32");
  CHECK(first.implementation == "sgemm");
  CHECK(first.least_host_ms == Approx(0.010));
  CHECK(first.host_ms > first.least_host_ms);
  CHECK_FALSE(first.kernel_ms);
  CHECK(joined.calls[1].function == "cblas_sgemm");
  CHECK(joined.calls[1].layer == size_t{0});
  CHECK(joined.calls[1].problem.empty());
  CHECK(joined.calls[2].enclosing == size_t{1});
  CHECK(joined.calls[2].problem == "matmul src=3x4 wei=4x7 ta=0 tb=0 bias=0 post= dtype=f32");
  CHECK(joined.calls[2].least_host_ms == Approx(0.0001));
}

TEST_CASE("calls of layers that were not joined have none") {
  const CalledModel model({900, 10, 10});
  JoinedTrace joined;
  add_calls(*model, &joined);
  REQUIRE(joined.calls.size() == 3);
  CHECK_FALSE(joined.calls[0].layer);
}

TEST_CASE("a trace that was not analysed has no calls") {
  const analysis::AnalysedTrace trace;
  JoinedTrace joined;
  add_calls(trace, &joined);
  CHECK(joined.calls.empty());
  CHECK_FALSE(joined.has_library_calls);
}

}  // namespace
}  // namespace xsp::bound
