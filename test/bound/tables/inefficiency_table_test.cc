#include "bound/tables/inefficiency_table.h"

#include <string>

#include "analysis/study/analysed_trace.h"
#include "analysis/tables/table_cells.h"
#include "bound/tables/inefficiency_findings.h"
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

TEST_CASE("what kernels take is told as a share of all kernels") {
  Inefficiency padded{.kind = InefficiencyKind::kBetweenKernels,
                      .layer = "53 convolutions",
                      .expected = "padding by cudnnConvolutionForward itself",
                      .seen = "padded by mshadow::cuda::image_2d_pad_constant_kernel",
                      .count = 53,
                      .time_ms = 2,
                      .is_kernel_time = true,
                      .evidence = "kernel"};
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
  CHECK(found[0].text.ends_with(": 5.0 % of kernel time"));
  CHECK(found[0].advice == "the library's call can pad by itself");
}

}  // namespace
}  // namespace xsp::bound
