#include "test/analysis/support/live_trace.h"
#include "test/catch.h"

namespace xsp::test {

std::vector<std::string> layers_of(const Analysed& analysed) {
  std::map<double, std::string> rows;
  for (const auto& row : analysed.table("A2").rows) rows[number(row[0])] = text(row[1]) + ":" + text(row[2]);
  std::vector<std::string> layers;
  for (const auto& [index, layer] : rows) layers.push_back(layer);
  return layers;
}

namespace {

using Names = std::vector<std::string>;

/// A residual block in a network that flattens by itself.
void add_call(LiveTrace& trace) {
  trace.begin_model("Net");
  trace.begin(KIND_TORCH_CONTAINER, "layer1.0", "Block", LEVEL_LAYER);
  trace.module("layer1.0.conv1", "Conv2d", "aten::conv2d");
  trace.begin(KIND_OPERATOR, "aten::add_");
  trace.op("aten::empty");
  trace.end();
  trace.end();
  trace.op("aten::flatten");
  trace.module("fc", "Linear", "aten::linear");
  trace.end();
}

TEST_CASE("operators that a container calls are layers, named after it, and those in modules are not") {
  LiveTrace trace;
  add_call(trace);
  const Analysed analysed({trace.bytes()});
  CHECK(layers_of(analysed) ==
        Names{"layer1.0.conv1:Conv2d", "layer1.0.aten::add_:aten::add_", "aten::flatten:aten::flatten", "fc:Linear"});
  CHECK(quality(analysed.table("Q1"), "layers_containing_layers", "layer") == 0);
}

TEST_CASE("what a program computes outside of its models is no layer") {
  LiveTrace trace;
  trace.op("aten::normal_");
  for (int i = 0; i < 3; ++i) {
    add_call(trace);
    trace.begin(KIND_ANNOTATION, "accuracy");
    trace.op("aten::argmax");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  CHECK(layers_of(analysed).size() == 4);
  CHECK(analysed.evaluations.loose_layers.empty());
}

TEST_CASE("annotations of the program and the marks that make them change no layer") {
  LiveTrace trace;
  trace.begin_model("Net");
  trace.module("conv", "Conv2d");
  trace.op("profiler::_record_function_enter_new");
  trace.begin(KIND_ANNOTATION, "head");
  trace.op("aten::relu");
  trace.op("profiler::_record_function_exit");
  trace.end();
  trace.end();
  const Analysed analysed({trace.bytes()});
  CHECK(layers_of(analysed) == Names{"conv:Conv2d", "aten::relu:aten::relu"});
}

TEST_CASE("a model without modules is one layer, and its operators lie in that") {
  const int kind = GENERATE(KIND_TORCH_MODULE, KIND_TORCH_SCRIPT);
  LiveTrace trace;
  trace.begin_model("Linear");
  trace.op("aten::linear");
  trace.op("aten::relu");
  trace.end_model_without_modules(kind);
  const std::string bytes = trace.bytes();
  CHECK(layers_of(Analysed({bytes})) == Names{"Linear:Linear"});
  CHECK(layers_of(Analysed({bytes}, {}, {.layers = "op"})) ==
        Names{"aten::linear:aten::linear", "aten::relu:aten::relu"});
}

TEST_CASE("a compiled region is one layer, whatever it calls") {
  LiveTrace trace;
  trace.begin_model("Net");
  trace.begin(KIND_TORCH_SCRIPT, "body", "OptimizedModule", LEVEL_LAYER);
  trace.begin(KIND_ANNOTATION, "Torch-Compiled Region: 0/0");
  trace.op("extern_kernels.mm");
  trace.end();
  trace.end();
  trace.op("aten::mean");
  trace.end();
  CHECK(layers_of(Analysed({trace.bytes()})) == Names{"body:OptimizedModule", "aten::mean:aten::mean"});
}

TEST_CASE("an operator around modules is no layer beside them") {
  LiveTrace trace;
  trace.begin_model("Net");
  trace.begin(KIND_OPERATOR, "CheckpointFunction");
  trace.module("a", "Linear");
  trace.op("aten::add");
  trace.end();
  trace.end();
  const Analysed analysed({trace.bytes()});
  CHECK(layers_of(analysed) == Names{"a:Linear", "aten::add:aten::add"});
  CHECK(quality(analysed.table("Q1"), "layers_containing_layers", "layer") == 0);
}

TEST_CASE("--layers op takes the outermost operators, named after the module around them") {
  LiveTrace trace;
  add_call(trace);
  CHECK(layers_of(Analysed({trace.bytes()}, {}, {.layers = "op"})) ==
        Names{"layer1.0.conv1.aten::conv2d:aten::conv2d", "layer1.0.aten::add_:aten::add_",
              "aten::flatten:aten::flatten", "fc.aten::linear:aten::linear"});
}

TEST_CASE("a program without modules has its outermost operators for layers where they are asked for") {
  LiveTrace trace;
  trace.op("aten::mm");
  const std::string bytes = trace.bytes();
  CHECK(layers_of(Analysed({bytes})).empty());
  CHECK(layers_of(Analysed({bytes}, {}, {.layers = "op"})) == Names{"aten::mm:aten::mm"});
}

TEST_CASE("modules called on other threads by DataParallel are a part of its call") {
  LiveTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.on_thread(0);
    trace.begin_model("DataParallel");
    for (const uint32_t thread : {1, 2}) {
      trace.on_thread(thread);
      trace.begin_model("Net");
      trace.module("fc", "Linear");
      trace.end();
    }
    trace.on_thread(0);
    trace.op("aten::cat");
    trace.end();
    trace.on_thread(1);
    trace.begin_model("Other");
    trace.module("fc", "Linear");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  CHECK(analysed.evaluations.groups.size() == 2);
  CHECK(layers_of(Analysed({trace.bytes()}, {.model = "DataParallel"})) ==
        Names{"fc:Linear", "fc:Linear", "aten::cat:aten::cat"});
}

}  // namespace
}  // namespace xsp::test
