#include "analysis/study/resolved_parents.h"

#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::kNoRow;
using analysis::Row;

/// A run of the set that a test makes: two evaluations by two threads, and nodes on a third one.
class SessionRun {
 public:
  explicit SessionRun(uint32_t index, bool serialised = false, const std::string& batch = "") {
    if (batch.empty()) {
      builder_.describe_run(index, "");
    } else {
      builder_.describe_run(index, "", 1, {{"batch", batch}});
    }
    if (serialised) header().mutable_run()->set_purpose(ExperimentRun::SERIALISED);
    builder_.add_process(100 + index);
  }

  SessionRun& evaluation(int64_t begin_us, int64_t end_us, uint32_t thread) {
    SpanSpec span{.begin = begin_us * kUs, .end = end_us * kUs, .id = 1, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN};
    span.name = "net";
    span.scope = "session";
    span.thread = thread;
    span.ring = thread;
    builder_.add(span);
    return *this;
  }

  SessionRun& node(const std::string& name, int64_t begin_us, int64_t end_us, uint32_t thread = 900) {
    SpanSpec span{.begin = begin_us * kUs, .end = end_us * kUs, .kind = KIND_ORT_NODE, .name = name};
    span.type = "Op";
    span.scope = "session";
    span.thread = thread;
    span.ring = 500;
    builder_.add(span);
    return *this;
  }

  TraceHeader& header() { return *builder_.message().mutable_packet(0)->mutable_header(); }
  TraceBuilder& builder() { return builder_; }
  std::string bytes() { return builder_.bytes(); }

 private:
  TraceBuilder builder_;
};

/// Evaluations from 100 to 300 and from 150 to 400 µs, four nodes inside both.
SessionRun overlapping(uint32_t index = 1, const std::string& batch = "") {
  SessionRun run(index, false, batch);
  run.evaluation(100, 300, 1).evaluation(150, 400, 2);
  run.node("conv", 200, 210).node("conv", 215, 220).node("fc", 225, 230).node("fc", 235, 240);
  return run;
}

SessionRun in_turn(uint32_t index = 2, const std::string& batch = "") {
  SessionRun run(index, true, batch);
  run.evaluation(1000, 1100, 1).evaluation(2000, 2100, 2);
  run.node("conv", 1010, 1020).node("fc", 1020, 1030).node("conv", 2010, 2020).node("fc", 2020, 2030);
  return run;
}

TEST_CASE("a serialised run tells the parents of what lies in two runs at once, by ordinal") {
  const Analysed analysed({overlapping().bytes(), in_turn().bytes()});
  REQUIRE(analysed.trace.spans.size() == 6);
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, kNoRow, 0, 1, 0, 1});
  const auto q1 = analysed.table("Q1");
  CHECK(quality(q1, "ambiguous") == 0);
  CHECK(quality(q1, "resolved", "layer") == 4);
  // Each evaluation has its two layers, and the serialised run no share in any number.
  REQUIRE(analysed.evaluations.root.size() == 2);
  CHECK(analysed.evaluations.layer_count(0) == 2);
  CHECK(analysed.evaluations.layer_count(1) == 2);
  CHECK(analysed.table("A1").rows.size() == 1);
}

TEST_CASE("the order of the runs in the input does not matter, nor their number") {
  const Analysed analysed({in_turn().bytes(), overlapping(1).bytes(), in_turn(3).bytes(), overlapping(4).bytes()});
  CHECK(analysed.trace.spans.size() == 12);
  CHECK(quality(analysed.table("Q1"), "resolved") == 8);
  CHECK(quality(analysed.table("Q1"), "ambiguous") == 0);
}

TEST_CASE("without a serialised run of the point spans stay ambiguous, and the command that adds one is named") {
  SessionRun alone = overlapping();
  alone.header().add_command("python3");
  alone.header().add_command("infer it.py");
  const Analysed analysed({alone.bytes()});
  CHECK(quality(analysed.table("Q1"), "ambiguous") == 4);
  CHECK(quality(analysed.table("Q1"), "resolved") == -2);
  CHECK(has_note(analysed.table("A1"), "xsp-run --resolve -- python3 'infer it.py'"));
  // Another point of the sweep runs something else.
  const Analysed other({overlapping(1, "4").bytes(), in_turn(2, "8").bytes()});
  CHECK(quality(other.table("Q1"), "ambiguous") == 4);
  const Analysed same({overlapping(1, "4").bytes(), in_turn(2, "4").bytes()});
  CHECK(quality(same.table("Q1"), "ambiguous") == 0);
}

TEST_CASE("where the serialised run has another number of spans nothing is told of them") {
  SessionRun longer = in_turn();
  longer.node("conv", 2040, 2050);
  const Analysed analysed({overlapping().bytes(), longer.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, kNoRow, kNoRow, kNoRow, 0, 1});
  const auto q1 = analysed.table("Q1");
  CHECK(quality(q1, "ambiguous") == 2);
  CHECK(quality(q1, "resolved") == 2);
  CHECK(has_note(analysed.table("A1"),
                 "the serialised run (run 2) does not show it: 2 whose number differs in the serialised run (conv: 3 "
                 "there, 2 here)"));
}

TEST_CASE("names that the serialised run does not have are not resolved") {
  SessionRun other(2, true);
  other.evaluation(1000, 1100, 1).evaluation(2000, 2100, 2);
  for (const int64_t begin : {1010, 2010}) other.node("CONV", begin, begin + 5).node("FC", begin + 10, begin + 15);
  const Analysed analysed({overlapping().bytes(), other.bytes()});
  CHECK(quality(analysed.table("Q1"), "ambiguous") == 4);
  CHECK(has_note(analysed.table("A1"), "(conv: 0 there, 2 here)"));
}

TEST_CASE("an order that contradicts parents that are known tells nothing") {
  SessionRun run = overlapping();
  // On the threads of the runs: the second evaluation's comes first.
  run.node("relu", 200, 205, 2).node("relu", 210, 215, 1).node("relu", 220, 230);
  SessionRun serialised = in_turn();
  serialised.node("relu", 1040, 1050).node("relu", 2040, 2050).node("relu", 2060, 2070);
  const Analysed analysed({run.bytes(), serialised.bytes()});
  CHECK(analysed.parents.of[6] == 1);
  CHECK(analysed.parents.of[7] == 0);
  CHECK(analysed.parents.of[8] == kNoRow);
  CHECK(quality(analysed.table("Q1"), "resolved") == 4);
  CHECK(has_note(analysed.table("A1"), "1 whose order there contradicts known parents"));
}

TEST_CASE("what is in doubt in the serialised run as well stays so") {
  SessionRun serialised(2, true);
  serialised.evaluation(100, 300, 1).evaluation(150, 400, 2);
  serialised.node("conv", 110, 120).node("conv", 215, 220).node("fc", 225, 230).node("fc", 310, 320);
  const Analysed analysed({overlapping().bytes(), serialised.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, kNoRow, 0, kNoRow, kNoRow, 1});
  CHECK(has_note(analysed.table("A1"), "2 uncertain there as well"));
}

TEST_CASE("a parent that does not hold the span is not taken") {
  SessionRun run(1);
  run.evaluation(100, 300, 1).evaluation(150, 400, 2).evaluation(500, 600, 1);
  run.node("conv", 200, 210);
  SessionRun serialised(2, true);
  serialised.evaluation(1000, 1100, 1).evaluation(2000, 2100, 2).evaluation(3000, 3100, 1);
  serialised.node("conv", 3010, 3020);
  const Analysed analysed({run.bytes(), serialised.bytes()});
  CHECK(analysed.parents.of[3] == kNoRow);
  CHECK(quality(analysed.table("Q1"), "ambiguous") == 1);
}

TEST_CASE("calls of the CUDA API in two layers at once go to the layer with the same place in its evaluation") {
  const auto make = [](uint32_t index, bool serialised) {
    SessionRun run(index, serialised);
    for (uint32_t i = 0; i < 2; ++i) {
      const int64_t begin = serialised ? 10 + 20 * i : 10 + 5 * i;
      run.builder().add({.begin = begin * kUs,
                         .end = (serialised ? begin + 15 : begin + 50) * kUs,
                         .id = 2 + i,
                         .parent = 1,
                         .name = "layer"});
    }
    run.builder().add(
        {.begin = 0, .end = 100 * kUs, .id = 1, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "Net"});
    run.builder().add({.begin = 32 * kUs,
                       .end = 33 * kUs,
                       .level = LEVEL_RUNTIME,
                       .kind = KIND_RUNTIME_CALL,
                       .name = "cudaLaunchKernel",
                       .ring = 0x20000});
    return run.bytes();
  };
  CHECK(Analysed({make(1, false)}).parents.of[3] == kNoRow);
  const Analysed analysed({make(1, false), make(2, true)});
  CHECK(analysed.parents.of[3] == 1);
  CHECK(quality(analysed.table("Q1"), "resolved", "runtime") == 1);
}

TEST_CASE("processes meet by what they run and the order in which they begin") {
  const auto make = [](uint32_t index, bool serialised, bool swapped) {
    SessionRun run = serialised ? in_turn(index) : overlapping(index);
    auto& message = run.builder().message();
    message.mutable_packet(1)->mutable_hello()->add_command(swapped ? "worker" : "server");
    return run.bytes();
  };
  CHECK(quality(Analysed({make(1, false, false), make(2, true, false)}).table("Q1"), "resolved") == 4);
  const Analysed other({make(1, false, false), make(2, true, true)});
  CHECK(quality(other.table("Q1"), "ambiguous") == 4);
  CHECK(has_note(other.table("A1"), "4 of a process that is not in it"));
}

TEST_CASE("serialised runs are all that there is where there is nothing else") {
  const Analysed analysed({in_turn().bytes()});
  CHECK(analysed.evaluations.root.size() == 2);
  SessionRun counted = in_turn(3);
  counted.header().mutable_run()->set_purpose(ExperimentRun::COUNTERS);
  counted.header().set_counted(true);
  const Analysed both({in_turn().bytes(), counted.bytes()});
  CHECK(both.evaluations.root.size() == 2);
}

}  // namespace
}  // namespace xsp::test
