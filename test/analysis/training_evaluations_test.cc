#include "analysis/timeline/training_evaluations.h"

#include "test/analysis/live_trace.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Mode;
using Names = std::vector<std::string>;

/// Forward call of 8 ms; ids of its operators.
std::vector<uint32_t> add_forward(LiveTrace& trace) {
  trace.begin_model("Net");
  const uint32_t first = trace.module("a", "Linear");
  const uint32_t second = trace.op("aten::relu");
  trace.end();
  return {first, second};
}

void add_step(LiveTrace& trace, bool steps = true) {
  trace.op("aten::normal_");  // data
  const auto forward = add_forward(trace);
  const uint32_t loss = trace.op("aten::mse_loss");
  trace.backward("MseLossBackward0", loss);
  trace.backward("ReluBackward0", forward[1]);
  trace.backward("AddmmBackward0", forward[0]);
  trace.begin(KIND_OPERATOR, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
  trace.end();
  if (steps) trace.step();
  trace.op("aten::item");  // what is logged
}

double ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

TEST_CASE("an evaluation of training runs to its last step, with what was called on the way") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    add_step(trace);
    trace.wait(100);  // for data
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 1);
  const auto& phases = analysed.evaluations.phases[1];
  CHECK(phases.kinds.mode == Mode::kTraining);
  CHECK(ms(phases.forward_ns) == 7 + 3);       // until the backward pass begins
  CHECK(ms(phases.backward_ns) == 5 * 3 + 4);  // with the gaps between its nodes
  CHECK(ms(phases.optimizer_ns) == 1 + 3);
  const auto& spans = analysed.trace.spans;
  CHECK(ms(spans.duration(analysed.evaluations.root[1])) ==
        ms(phases.forward_ns + phases.backward_ns + phases.optimizer_ns));
  CHECK(layers_of(analysed) ==
        Names{"a:Linear", "aten::relu:aten::relu", "aten::mse_loss:aten::mse_loss", "SGD.step:Optimizer"});
  CHECK(analysed.evaluations.loose_layers.empty());
}

}  // namespace
}  // namespace xsp::test
