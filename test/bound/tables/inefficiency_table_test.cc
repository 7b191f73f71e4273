#include "bound/tables/inefficiency_table.h"

#include <string>

#include "analysis/study/analysed_trace.h"
#include "analysis/tables/table_cells.h"
#include "bound/tables/inefficiency_findings.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

/// A call of 100 ms with these inefficiencies.
struct InefficientRun {
  JoinedTrace trace;
  BoundSubject subject;

  explicit InefficientRun(std::vector<Inefficiency> inefficiencies) {
    trace.measured_ms = 100;
    trace.layers.push_back({.index = 7, .name = "conv1"});
    subject.bounds.emplace_back().trace = &trace;
    subject.advice.emplace_back().inefficiencies = std::move(inefficiencies);
  }
};

Inefficiency reordered_weights(double ms) {
  return {.kind = InefficiencyKind::kExtraCall,
          .trace_layer = 0,
          .layer = "20 convolutions",
          .expected = "weights brought into the layout of the library once",
          .seen = "reorder of weights in every call of the model",
          .count = 20,
          .time_ms = ms,
          .evidence = "call 2 for call 3 (convolution)"};
}

std::string words_in(const analysis::Table& table, const ColumnDefinition& column) {
  return analysis::words_of(table.at(0, column));
}

TEST_CASE("B6 has a row an inefficiency, with its share of the model and no time where none is known") {
  const InefficientRun run({reordered_weights(12.5)});
  const analysis::Table table = inefficiency_table(run.subject);
  REQUIRE(table.rows.size() == 1);
  CHECK(words_in(table, kB6.kind) == "extra_call");
  CHECK(words_in(table, kB6.layer_name) == "20 convolutions");
  CHECK(std::get<int64_t>(table.at(0, kB6.layer_index)) == 7);
  CHECK(std::get<int64_t>(table.at(0, kB6.count)) == 20);
  CHECK(std::get<double>(table.at(0, kB6.time_ms)) == 12.5);
  CHECK(std::get<double>(table.at(0, kB6.time_pct)) == 12.5);
  CHECK_FALSE(table.has(kB6.model));

  const InefficientRun without({reordered_weights(0)});
  const analysis::Table untimed = inefficiency_table(without.subject);
  REQUIRE(untimed.rows.size() == 1);
  CHECK(analysis::is_null(untimed.at(0, kB6.time_ms)));
  CHECK(analysis::is_null(untimed.at(0, kB6.time_pct)));
}

TEST_CASE("a batch normalization that a framework computes is told to be folded away, not to be cuDNN's") {
  const InefficientRun run({{.kind = InefficiencyKind::kMissingCall,
                             .layer = "53 batch normalizations",
                             .expected = "folded into the convolutions before them",
                             .seen = "mxnet::BatchNorm",
                             .count = 53,
                             .time_ms = 5,
                             .is_kernel_time = true,
                             .evidence = "kernel",
                             .advice = "fold them"}});
  std::vector<analysis::Finding> found;
  add_inefficiency_findings(run.subject, &found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "53 batch normalizations are not folded, but computed by mxnet::BatchNorm: 5.0 % of the call");
  CHECK(found[0].advice == "fold them");
}

TEST_CASE("B6 says that nothing was found, and what it needs") {
  const InefficientRun run({});
  CHECK(inefficiency_table(run.subject).notes.front() == "nothing found");
  BoundSubject subject;
  subject.bounds.emplace_back();
  subject.advice.emplace_back();
  CHECK(inefficiency_table(subject).notes == std::vector<std::string>{"needs a run of the model: --trace"});
}

TEST_CASE("the dearest inefficiency of each kind is a finding, from one per cent on") {
  Inefficiency setup = reordered_weights(0.9);
  setup.kind = InefficiencyKind::kRepeatedSetup;
  const InefficientRun run({reordered_weights(10), reordered_weights(5), setup});
  std::vector<analysis::Finding> found;
  add_inefficiency_findings(run.subject, &found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "20 convolutions: reorder of weights in every call of the model: 10 % of the call");
  CHECK(found[0].table == "B6");
  CHECK(found[0].column == "evidence");
  CHECK(found[0].key == "call 2 for call 3 (convolution)");
  CHECK(found[0].share_pct == 10.0);
}

/// 33 convolutions that another library computes, of which two are in the trace: 3 and 5 ms.
struct OtherLibraryRun {
  LayeredModel model = test::graph_of({{}, {0}});
  JoinedTrace trace;
  BoundSubject subject;

  OtherLibraryRun(const LayerTime& first, const LayerTime& second) {
    trace.measured_ms = 100;
    trace.layers = {{.index = 0, .name = "a", .measured_ms = 3, .layers = {0}},
                    {.index = 1, .name = "b", .measured_ms = 5, .layers = {1}}};
    trace.trace_layer_of = {0, 1};
    subject.bounds.push_back(make_bounds(model, {first, second}, {.trace = &trace}));
    subject.advice.emplace_back().inefficiencies = {{.kind = InefficiencyKind::kMissingCall,
                                                     .trace_layer = 0,
                                                     .trace_layers = {0, 1},
                                                     .layer = "2 convolutions",
                                                     .expected = "a convolution of oneDNN",
                                                     .seen = "sgemm_",
                                                     .count = 2,
                                                     .time_ms = 8,
                                                     .evidence = "call 4"}};
  }
  std::vector<analysis::Finding> findings() const {
    std::vector<analysis::Finding> found;
    add_inefficiency_findings(subject, &found);
    return found;
  }
};

TEST_CASE("layers of another library have to be computed anyway: what can be won is what is above their bound") {
  const auto found = OtherLibraryRun(test::time_of_ms(2), test::time_of_ms(2.5)).findings();
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].text ==
      "2 convolutions not by oneDNN, but by sgemm_: 8.0 % of the call; they took 8.000 ms and, by benchmarks, need at "
      "least 4.500 ms");
  CHECK(found[0].gain_ms == 3.5);
  CHECK(found[0].weight == Approx(0.035));
  CHECK(found[0].share_pct == Approx(8));
  CHECK(OtherLibraryRun(test::time_of_ms(2.9), test::time_of_ms(4.8)).findings().empty());  // nothing to win

  LayerTime missing;
  missing.counts = true;
  const auto unknown = OtherLibraryRun(test::time_of_ms(2), missing).findings();
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].text ==
        "2 convolutions not by oneDNN, but by sgemm_: 8.0 % of the call; how much of that could be saved is "
        "not known");
  CHECK_FALSE(unknown[0].gain_ms.has_value());
}

TEST_CASE("a run without a model has a note that says where to look") {
  const LayeredModel none;
  InefficientRun run({reordered_weights(10)});
  run.subject.bounds[0].model = &none;
  run.trace.path = "run.pb";
  std::vector<analysis::Finding> found;
  add_inefficiency_findings(run.subject, &found);
  REQUIRE(found.size() == 2);
  CHECK(found[1].is_note);
  CHECK(found[1].text ==
        "Without a model, only what the framework could do otherwise is told, not how fast its layers could be");
  CHECK(
      found[1].advice ==
      "xsp-report run.pb says where the time goes; with the model's ONNX file, each layer is compared with its bound");

  run.subject.advice[0].inefficiencies.clear();
  found.clear();
  add_inefficiency_findings(run.subject, &found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "The trace has no calls into compute libraries: nothing tells what they are asked for");
  run.trace.has_library_calls = true;
  found.clear();
  add_inefficiency_findings(run.subject, &found);
  CHECK(found[0].text == "Nothing was found that takes 1 % of a call and that the layers do not ask for");
}

TEST_CASE("what kernels take is told as a share of the call and of all kernels") {
  Inefficiency padded{.kind = InefficiencyKind::kBetweenKernels,
                      .layer = "53 convolutions",
                      .expected = "padding by cudnnConvolutionForward itself",
                      .seen = "padded by mshadow::cuda::image_2d_pad_constant_kernel",
                      .count = 53,
                      .time_ms = 2,
                      .is_kernel_time = true,
                      .evidence = "kernel",
                      .advice = "the library's call can pad by itself"};
  InefficientRun run({padded});
  std::vector<analysis::Finding> found;
  add_inefficiency_findings(run.subject, &found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text ==
        "53 convolutions are padded by a kernel of their own (mshadow::cuda::image_2d_pad_constant_kernel): 2.0 % of "
        "the call");

  analysis::AnalysedTrace analysed;
  REQUIRE(analysis::analyse({}, {}, &analysed).ok());
  analysed.study->kernels.latency_ns = 40e6;
  run.trace.trace = &analysed;
  found.clear();
  add_inefficiency_findings(run.subject, &found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text.ends_with(": 2.0 % of the call, 5.0 % of its kernel time"));
  CHECK(found[0].value == Approx(2));  // as B6 has it
  CHECK(found[0].advice == "the library's call can pad by itself");
}

}  // namespace
}  // namespace xsp::bound
