#include "analysis/timeline/training_evaluations.h"

#include "test/analysis/support/live_trace.h"
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

TEST_CASE("A1 has the phases, and training and inference of a model apart") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) add_step(trace);
  for (int i = 0; i < 4; ++i) add_forward(trace);
  const std::string bytes = trace.bytes();
  const auto a1 = Analysed({bytes}).table("A1");
  REQUIRE(a1.rows.size() == 2);
  const auto cell = [&](size_t row, const std::string& column) {
    for (size_t i = 0; i < a1.columns.size(); ++i) {
      if (a1.columns[i].name == column) return a1.rows[row][i];
    }
    return analysis::Cell();
  };
  CHECK(text(cell(0, "mode")) == "training");
  CHECK(number(cell(0, "latency_ms")) == 33);
  CHECK(number(cell(0, "forward_ms")) == 10);
  CHECK(number(cell(0, "backward_ms")) == 19);
  CHECK(number(cell(0, "optimizer_ms")) == 4);
  CHECK(text(cell(1, "mode")) == "inference");
  CHECK(number(cell(1, "latency_ms")) == 7);
  CHECK(number(cell(1, "forward_ms")) == -1);
  CHECK(layers_of(Analysed({bytes}, {.model = "Net (training)"})).size() == 4);
  CHECK(layers_of(Analysed({bytes}, {.model = "Net (inference)"})).size() == 2);
}

TEST_CASE("batch sizes of training and of evaluation are no sweep of one another") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) add_step(trace);
  for (int i = 0; i < 3; ++i) {
    trace.begin_model("Net");
    trace.last().input = "[2,3]";
    trace.module("a", "Linear");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 2);
  for (const auto& extra : a1.extras) {
    for (const auto& [field, value] : extra.fields) CHECK(analysis::is_null(value));
  }
  const auto m1 = analysed.table("M1");
  REQUIRE(m1.rows.size() == 2);
  REQUIRE(m1.columns.back().name == "mode");
  CHECK(text(m1.rows[0].back()) == "training");
  CHECK(text(m1.rows[1].back()) == "inference");
}

TEST_CASE("backward work counts for the layer of its forward operator") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) add_step(trace);
  const Analysed analysed({trace.bytes()});
  const auto a2 = analysed.table("A2");
  std::vector<double> backward;
  for (const auto& row : a2.rows) {
    for (size_t i = 0; i < a2.columns.size(); ++i) {
      if (a2.columns[i].name == "backward_ms") backward.push_back(number(row[i]));
    }
  }
  CHECK(backward == std::vector<double>{5, 5, 5, 0});
  CHECK(quality(analysed.table("Q1"), "backward_without_layer", "layer") == 0);
}

TEST_CASE("A6 sums the backward work of a type, and an inference has no such column") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    add_step(trace);
    trace.wait(100);
  }
  const auto a6 = Analysed({trace.bytes()}).table("A6");
  REQUIRE(a6.columns.size() == 5);
  CHECK(a6.columns[4].name == "backward_ms");
  double sum = 0;
  for (const auto& row : a6.rows) sum += number(row[4]);
  CHECK(sum == 15);
  LiveTrace inference;
  for (int i = 0; i < 3; ++i) add_forward(inference);
  CHECK(Analysed({inference.bytes()}).table("A6").columns.size() == 4);
}

TEST_CASE("library calls of backward work are in C2 and not in the library columns of their layer") {
  LiveTrace trace;
  const auto add_call = [&](const std::string& function) {
    trace.begin(KIND_LIBRARY_CALL, function, "cublas", LEVEL_LIBRARY);
    trace.end();
  };
  for (int i = 0; i < 3; ++i) {
    trace.begin_model("Net");
    trace.begin(KIND_TORCH_MODULE, "a", "Linear", LEVEL_LAYER);
    const uint32_t forward = trace.begin(KIND_OPERATOR, "aten::addmm");
    add_call("forward");
    trace.end();
    trace.end();
    trace.end();
    trace.begin(KIND_OPERATOR, "AddmmBackward0");
    trace.last().forward = forward;
    add_call("backward");
    add_call("backward");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  const auto a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 1);
  CHECK(number(a2.rows[0][8]) == 1);
  CHECK(number(a2.rows[0][9]) == 1);
  CHECK(text(a2.rows[0][10]) == "forward");
  CHECK(has_note(a2, "C1 and C2 list calls of backward work"));
  CHECK(analysed.table("C1").rows.size() == 3);
}

TEST_CASE("layers without a shape by nature are none whose shape is not known") {
  const auto note_of = [](bool operators_tell, bool modules_tell) {
    LiveTrace trace;
    for (int i = 0; i < 3; ++i) {
      trace.begin_model("Net");
      trace.begin(KIND_TORCH_MODULE, "a", "Linear", LEVEL_LAYER);
      if (modules_tell) trace.last().shape = "[8,3]";
      trace.end();
      trace.begin(KIND_OPERATOR, "aten::relu");
      if (operators_tell) trace.last().shape = "[8,3]";
      trace.end();
      const uint32_t loss = trace.op("aten::item");
      trace.end();
      trace.backward("MseLossBackward0", loss);
      trace.step();
    }
    const auto a2 = Analysed({trace.bytes()}).table("A2");
    REQUIRE(a2.rows.size() == 4);
    for (const std::string& note : a2.notes) {
      if (note.starts_with("the output shape")) return note.substr(0, note.find(':'));
    }
    return std::string();
  };
  CHECK(note_of(true, true).empty());
  CHECK(note_of(true, false) == "the output shape is not known for 1 of 4 layers");
  CHECK(note_of(false, true) == "the output shape is not known for 2 of 4 layers");
}

TEST_CASE("backward work on autograd's threads belongs to the evaluation that it is linked to, else by time") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.on_thread(0);
    const auto forward = add_forward(trace);
    trace.on_thread(1);
    trace.backward("ReluBackward0", forward[1]);
    trace.begin(KIND_OPERATOR, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
    trace.op("aten::add_");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  const auto& phases = analysed.evaluations.phases[1];
  CHECK(phases.kinds.has_backward);
  CHECK(ms(phases.forward_ns) == 8);
  CHECK(ms(phases.backward_ns) == 5 + 1 + 3);
  CHECK(layers_of(analysed).size() == 2);
}

TEST_CASE("steps that accumulate gradients are a row of their own") {
  LiveTrace trace;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) add_step(trace, k == 2);
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 2);
  CHECK(analysed.evaluations.groups[0].evaluations.size() == 8);
  CHECK(analysed.evaluations.groups[1].evaluations.size() == 4);
  CHECK(analysed.evaluations.groups[1].phases.has_optimizer);
}

TEST_CASE("a loss module behind a model is a layer in training, and no model in inference") {
  const bool training = GENERATE(true, false);
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    const auto forward = add_forward(trace);
    trace.begin_model("CrossEntropyLoss");
    trace.op("aten::cross_entropy_loss");
    trace.end_model_without_modules();
    if (training) trace.backward("AddmmBackward0", forward[0]);
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 1);
  const auto layers = layers_of(analysed);
  CHECK(layers.size() == (training ? 3u : 2u));
  if (training) CHECK(layers[2] == "CrossEntropyLoss:CrossEntropyLoss");
  CHECK(analysed.evaluations.loose_layers.empty());
}

TEST_CASE("a loss module that no model comes before is a model") {
  LiveTrace trace;
  trace.begin_model("MSELoss");
  trace.op("aten::mse_loss");
  trace.end_model_without_modules();
  CHECK(Analysed({trace.bytes()}).evaluations.groups.size() == 1);
}

TEST_CASE("of several models in a step the last has its time, and each its backward work by layer") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.begin_model("Generator");
    const uint32_t generator = trace.module("g", "Linear");
    trace.end();
    trace.begin_model("Discriminator");
    const uint32_t discriminator = trace.module("d", "Linear");
    trace.end();
    trace.backward("AddmmBackward0", discriminator);
    trace.backward("AddmmBackward0", generator);
    trace.step();
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 2);
  const auto& generator = analysed.evaluations.phases[0];
  CHECK(generator.kinds.mode == Mode::kTraining);
  CHECK_FALSE(generator.kinds.has_backward);
  CHECK(ms(analysed.trace.spans.duration(analysed.evaluations.root[0])) == 5);
  CHECK(analysed.evaluations.phases[1].kinds.has_optimizer);
  for (const uint32_t evaluation : {0, 1}) {
    CHECK(ms(analysed.study->backward.ns[analysed.evaluations.first_layer[evaluation]]) == 5);
  }
  CHECK(has_note(analysed.table("A1"), "several models in one step"));
}

TEST_CASE("a loss between two calls of a step is a layer of the first") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.op("aten::normal_");
    trace.begin_model("First");
    trace.module("a", "Linear");
    trace.end();
    const uint32_t loss = trace.op("aten::mse_loss");
    trace.op("aten::normal_");
    trace.begin_model("Second");
    const uint32_t second = trace.module("b", "Linear");
    trace.end();
    trace.backward("AddmmBackward0", second);
    trace.backward("MseLossBackward0", loss);
  }
  const std::string bytes = trace.bytes();
  const Analysed analysed({bytes}, {.model = "First"});
  CHECK(layers_of(analysed) == Names{"a:Linear", "aten::mse_loss:aten::mse_loss"});
  CHECK(ms(analysed.evaluations.phases[0].forward_ns) == 5 + 2);
  CHECK(layers_of(Analysed({bytes}, {.model = "Second"})) == Names{"b:Linear"});
  CHECK(quality(analysed.table("Q1"), "backward_without_layer", "layer") == 0);
}

TEST_CASE("a forward pass that backward work computes anew is no evaluation") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    const auto forward = add_forward(trace);
    trace.begin(KIND_OPERATOR, "autograd::engine::evaluate_function: CheckpointFunctionBackward");
    trace.begin(KIND_OPERATOR, "CheckpointFunctionBackward");
    trace.last().forward = forward[0];
    trace.begin_model("Sequential");
    trace.module("a", "Linear");
    trace.end();
    trace.end();
    trace.end();
    trace.step();
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 1);
  CHECK(analysed.evaluations.groups[0].evaluations.size() == 3);
  CHECK(layers_of(analysed) == Names{"a:Linear", "aten::relu:aten::relu", "SGD.step:Optimizer"});
}

TEST_CASE("annotations around a part of a step change no evaluation") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.begin(KIND_ANNOTATION, "step");
    trace.begin(KIND_ANNOTATION, "forward");
    const auto forward = add_forward(trace);
    trace.end();
    trace.begin(KIND_ANNOTATION, "backward");
    trace.backward("AddmmBackward0", forward[0]);
    trace.end();
    trace.step();
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  CHECK(layers_of(analysed) == Names{"a:Linear", "aten::relu:aten::relu", "SGD.step:Optimizer"});
  CHECK(ms(analysed.evaluations.phases[1].optimizer_ns) == 2 + 3);
  CHECK(analysed.evaluations.loose_layers.empty());
}

TEST_CASE("an optimizer that calls the model itself is no phase of the call before") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.begin(KIND_ANNOTATION, "Optimizer.step#LBFGS.step");
    for (int k = 0; k < 2; ++k) {
      const auto forward = add_forward(trace);
      trace.backward("AddmmBackward0", forward[0]);
    }
    trace.op("aten::add_");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 1);
  CHECK(analysed.evaluations.groups[0].evaluations.size() == 6);
  CHECK_FALSE(analysed.evaluations.groups[0].phases.has_optimizer);
}

}  // namespace
}  // namespace xsp::test
