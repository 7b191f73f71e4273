#include "test/bound/joining/joined_model.h"

namespace xsp::bound {
namespace {

using namespace test;

/// Two branches that an Add joins: conv1+relu, conv2 behind it, and a shortcut.
LayeredModel residual_model() {
  NamedModel model;
  const std::string x = model.input({1, 8, 8, 8});
  const std::string first = model.node("/relu/Relu", "Relu", {model.conv("/conv1/Conv", x, 8, 16)});
  const std::string second = model.conv("/conv2/Conv", first, 16, 16);
  const std::string shortcut = model.conv("/shortcut/Conv", x, 8, 16, 1);
  const std::string sum = model.node("/Add", "Add", {second, shortcut});
  model.output(model.node("/relu_1/Relu", "Relu", {sum}));
  return model.layers();
}

constexpr const char* kImages = "[1,16,8,8]";

MadeRun run_of(std::vector<MadeLayer> layers) {
  MadeRun run = onnxruntime_run(std::move(layers));
  run.input = "[1,8,8,8]";
  return run;
}

}  // namespace

TEST_CASE("layers of ONNX Runtime without optimization are the nodes of their names") {
  const Joined joined(run_of({{"/shortcut/Conv", "Conv", kImages},
                              {"/conv1/Conv", "Conv", kImages},
                              {"/relu/Relu", "Relu", kImages},
                              {"/conv2/Conv", "Conv", kImages},
                              {"/Add", "Add", kImages},
                              {"/relu_1/Relu", "Relu", kImages}}),
                      residual_model());
  CHECK(joined.layers() == Texts{"/shortcut/Conv", "/conv1/Conv", "/relu/Relu", "/conv2/Conv", "/Add", "/relu_1/Relu"});
  CHECK(joined.joined.framework == "onnxruntime");
  CHECK(joined.joined.notes.empty());
  CHECK(joined.joined.layers[0].joined_by == JoinedBy::kName);
  CHECK(joined.joined.trace_layer_of == std::vector<size_t>{1, 2, 3, 0, 4, 5});
}

TEST_CASE("a fused convolution has its activation, and the one that ran last the sum") {
  const std::vector<MadeLayer> shortcut_first = {{"/relu/Relu_output_0_nchwc", "Conv", kImages},
                                                 {"/shortcut/Conv_output_0_nchwc", "Conv", kImages},
                                                 {"/conv2/Conv_output_0_nchwc", "Conv", kImages},
                                                 {"ReorderOutput", "ReorderOutput", kImages}};
  const Joined joined(run_of(shortcut_first), residual_model());
  CHECK(joined.layers() == Texts{"/conv1/Conv+/relu/Relu", "/shortcut/Conv", "/conv2/Conv+/Add+/relu_1/Relu", ""});
  CHECK(joined.joined.notes ==
        Texts{"1 layer of the trace (0.1000 ms) has no counterpart in the model: ReorderOutput"});

  std::vector<MadeLayer> shortcut_last = shortcut_first;
  std::swap(shortcut_last[1], shortcut_last[2]);
  CHECK(Joined(run_of(shortcut_last), residual_model()).layers() ==
        Texts{"/conv1/Conv+/relu/Relu", "/conv2/Conv", "/shortcut/Conv+/Add+/relu_1/Relu", ""});
}

TEST_CASE("what the trace has a layer of its own for is fused into no other") {
  const Joined joined(run_of({{"/relu/Relu_output_0_nchwc", "Conv", kImages},
                              {"/conv2/Conv_output_0_nchwc", "Conv", kImages},
                              {"/shortcut/Conv_output_0_nchwc", "Conv", kImages},
                              {"Add_token_3", "Add", "[1,16,8,9]"},
                              {"/relu_1/Relu", "Relu", kImages}}),
                      residual_model());
  // An Add of another shape is not the model's, but the model's may be it.
  CHECK(joined.layers() == Texts{"/conv1/Conv+/relu/Relu", "/conv2/Conv", "/shortcut/Conv", "", "/relu_1/Relu"});
  CHECK(joined.joined.notes.size() == 2);
  CHECK(joined.joined.notes[1] == "1 layer of the model with work was not found in the trace: Add");
}

TEST_CASE("names that repeat in the model join nothing by themselves") {
  NamedModel model;
  const std::string x = model.input({1, 8, 8, 8});
  const std::string first = model.conv("same", x, 8, 8);
  model.builder().last_node().outputs[0] = "first";
  model.conv("same", "first", 8, 8);
  model.builder().last_node().outputs[0] = "second";
  model.output(model.node("/end/Relu", "Relu", {"second"}));
  const Joined joined(
      run_of({{"same", "Conv", "[1,8,8,8]"}, {"same", "Conv", "[1,8,8,8]"}, {"/end/Relu", "Relu", "[1,8,8,8]"}}),
      model.layers());
  CHECK(joined.joined.layers[0].layers == std::vector<size_t>{0});
  CHECK(joined.joined.layers[1].layers == std::vector<size_t>{1});
  CHECK(joined.joined.layers[0].joined_by == JoinedBy::kSequence);
  CHECK(joined.joined.layers[2].joined_by == JoinedBy::kName);
}

TEST_CASE("a node of another type or shape is not joined by its name") {
  const LayeredModel model = residual_model();
  const Joined joined(run_of({{"/relu/Relu_output_0_nchwc", "Conv", kImages},
                              {"/conv2/Conv_output_0_nchwc", "Conv", kImages},
                              {"/shortcut/Conv", "Softmax", kImages},
                              {"/shortcut/Conv_output_0_nchwc", "Conv", kImages},
                              {"/Add", "Add", "[16]"}}),
                      model);
  CHECK(joined.layers()[2].empty());
  CHECK(joined.layers()[4].empty());
}

TEST_CASE("channels of a blocked convolution may be rounded up") {
  NamedModel model;
  model.output(model.conv("/conv/Conv", model.input({1, 8, 8, 8}), 8, 6));
  CHECK(Joined(run_of({{"/conv/Conv_output_0_nchwc", "Conv", "[1,16,8,8]"}}), model.layers()).layers() ==
        Texts{"/conv/Conv"});
  CHECK(failed_join(run_of({{"/conv/Conv", "Conv", "[1,16,8,8]"}}), model.layers()).exit_code == 3);
}

TEST_CASE("several parts that became a split are one layer") {
  NamedModel model;
  const std::string x = model.node("/fc/MatMul", "MatMul", {model.input({4, 6}), model.weight({6, 6})});
  Texts parts;
  for (const int64_t i : {0, 1, 2}) {
    const std::string index = model.builder().integers({i});
    parts.push_back(model.node("/Gather_" + std::to_string(i), "Gather", {x, index}, {integer_attribute("axis", 0)}));
  }
  model.output(model.node("/Concat", "Concat", parts, {integer_attribute("axis", 0)}));
  const Joined joined(onnxruntime_run({{"/fc/MatMul", "MatMul", "[4,6]"},
                                       {"/Gather_2/GatherSliceToSplitFusion", "Split", "[1,6];[1,6];[1,6]"},
                                       {"/Concat", "Concat", "[3,6]"}}),
                      model.layers());
  CHECK(joined.layers() == Texts{"/fc/MatMul", "/Gather_0+/Gather_1+/Gather_2", "/Concat"});
}

}  // namespace xsp::bound
