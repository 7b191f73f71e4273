#include "analysis/timeline/range_roles.h"

#include <map>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Level;
using analysis::range_meaning;
using analysis::RangeRole;

/// Nested ranges on one thread, each with its children, in the order that a guest records them.
class RangeBuilder {
 public:
  RangeBuilder() { builder_.add_process(1); }

  /// Opens a span; the time moves on by a millisecond.
  void begin(const std::string& domain, const std::string& text, int kind = KIND_NVTX_RANGE,
             int level = LEVEL_APPLICATION) {
    open_.push_back({.begin = tick(),
                     .id = ++last_id_,
                     .parent = open_.empty() ? 0 : open_.back().id,
                     .level = level,
                     .kind = kind,
                     .name = text,
                     .type = domain});
  }
  void end() {
    open_.back().end = tick();
    builder_.add(open_.back());
    open_.pop_back();
  }
  void range(const std::string& domain, const std::string& text) {
    begin(domain, text);
    end();
  }

  std::string bytes() { return builder_.bytes(); }
  TraceBuilder& builder() { return builder_; }

 private:
  int64_t tick() { return now_ += 1'000'000; }

  TraceBuilder builder_;
  std::vector<SpanSpec> open_;
  uint32_t last_id_ = 0;
  int64_t now_ = 0;
};

/// The only span of that text; as the tables name it.
analysis::Row row_named(const Analysed& analysed, const std::string& name) {
  analysis::Row found = analysis::kNoRow;
  for (analysis::Row row = 0; row < analysed.trace.spans.size(); ++row) {
    if (analysed.trace.text(analysed.trace.spans.name[row]) != name) continue;
    if (found != analysis::kNoRow) FAIL("two spans named " << name);
    found = row;
  }
  if (found == analysis::kNoRow) FAIL("no span named " << name);
  return found;
}

Level level_of(const Analysed& analysed, const std::string& name) {
  return analysed.trace.spans.level[row_named(analysed, name)];
}

/// Name and type of the layers that A2 has, in order of execution.
std::vector<std::vector<std::string>> layers_of(const Analysed& analysed) {
  std::map<double, std::vector<std::string>> rows;
  for (const auto& row : analysed.table("A2").rows) rows[number(row[0])] = {text(row[1]), text(row[2])};
  std::vector<std::vector<std::string>> layers;
  for (const auto& [index, layer] : rows) layers.push_back(layer);
  return layers;
}

void check_meaning(const char* domain, const char* range, RangeRole role, const char* name, const char* type) {
  INFO(range);
  const auto meaning = range_meaning(domain, range);
  CHECK(meaning.role == role);
  CHECK(meaning.name == name);
  CHECK(meaning.type == type);
}

TEST_CASE("ranges mean what their domain and text say") {
  check_meaning("TSL", "XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=5#", RangeRole::kModel, "jit_f",
                "XlaModule");
  check_meaning("TSL", "XlaModule:#hlo_module=jit_g#", RangeRole::kModel, "jit_g", "XlaModule");
  check_meaning("TSL", "Thunk:#name=jit(f)/dot_general[dims=((1,), (0,))],hlo_op=dot.3#", RangeRole::kLayer, "dot.3",
                "dot");
  check_meaning("TSL", "Thunk:#hlo_op=loop_add_fusion.12.0#", RangeRole::kLayer, "loop_add_fusion.12.0",
                "loop_add_fusion");
  check_meaning("TSL", "Thunk:#hlo_op=copy#", RangeRole::kLayer, "copy", "copy");
  check_meaning("TSL", "Thunk:#", RangeRole::kLayer, "Thunk:#", "");
  check_meaning("TSL", "Something:#else=1#", RangeRole::kAnnotation, "Something:#else=1#", "TSL");
  check_meaning("TensorRT", "ExecutionContext::enqueue", RangeRole::kModel, "ExecutionContext::enqueue", "");
  check_meaning("TensorRT", "ExecutionContext::recompile", RangeRole::kAnnotation, "ExecutionContext::recompile", "");
  check_meaning("TensorRT", "Conv_0 + Relu_1", RangeRole::kLayer, "Conv_0 + Relu_1", "");
  check_meaning("TensorRT", "(Unnamed Layer* 0) [Convolution]", RangeRole::kLayer, "(Unnamed Layer* 0) [Convolution]",
                "Convolution");
  check_meaning("", "aten::conv2d, sizes = [[1, 3, 8, 8]]", RangeRole::kLayer, "aten::conv2d", "aten::conv2d");
  check_meaning("", "aten::conv2d, seq = 5", RangeRole::kLayer, "aten::conv2d", "aten::conv2d");
  check_meaning("PyTorch", "aten::relu", RangeRole::kLayer, "aten::relu", "aten::relu");
  check_meaning("", "autograd::engine::evaluate_function: AddmmBackward0, sizes = []", RangeRole::kLayer,
                "AddmmBackward0", "AddmmBackward0");
  check_meaning("", "forward", RangeRole::kAnnotation, "forward", "");
  check_meaning("mine", "aten::conv2d", RangeRole::kAnnotation, "aten::conv2d", "mine");
  check_meaning("NCCL", "ncclAllReduce", RangeRole::kLibrary, "ncclAllReduce", "NCCL");
}

TEST_CASE("a module of XLA is a model, its thunks are the layers of A2 and A3") {
  RangeBuilder ranges;
  for (int run = 0; run < 3; ++run) {
    ranges.begin("TSL", "XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=5#");
    ranges.range("TSL", "Thunk:#name=jit(f)/dot,hlo_op=dot.3#");
    ranges.range("TSL", "Thunk:#name=jit(f)/add,hlo_op=fusion.1#");
    ranges.end();
  }
  const Analysed analysed({ranges.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 1);
  CHECK(analysed.trace.text(analysed.evaluations.groups[0].model) == "jit_f");
  CHECK(analysed.evaluations.root.size() == 3);
  CHECK(layers_of(analysed) == std::vector<std::vector<std::string>>{{"dot.3", "dot"}, {"fusion.1", "fusion"}});
}

TEST_CASE("of PyTorch's nested operators only the outermost below the model is a layer") {
  RangeBuilder ranges;
  ranges.begin("", "Net", KIND_API, LEVEL_MODEL);
  ranges.begin("", "the user's block");
  ranges.begin("", "aten::linear, sizes = [[4, 8]]");
  ranges.range("", "aten::addmm, sizes = []");
  ranges.end();
  ranges.end();
  ranges.range("", "aten::relu, sizes = []");
  ranges.end();
  const Analysed analysed({ranges.bytes()});
  CHECK(layers_of(analysed) ==
        std::vector<std::vector<std::string>>{{"aten::linear", "aten::linear"}, {"aten::relu", "aten::relu"}});
  CHECK(level_of(analysed, "aten::addmm, sizes = []") == Level::kApplication);
  CHECK(level_of(analysed, "the user's block") == Level::kApplication);
}

TEST_CASE("a layer that another hook recorded stays the layer, and the operators in it annotations") {
  RangeBuilder ranges;
  ranges.begin("Net", "Net", KIND_TORCH_ROOT, LEVEL_MODEL);
  ranges.begin("Conv2d", "conv", KIND_TORCH_MODULE, LEVEL_LAYER);
  ranges.range("", "aten::conv2d");
  ranges.end();
  ranges.end();
  const Analysed analysed({ranges.bytes()});
  CHECK(layers_of(analysed) == std::vector<std::vector<std::string>>{{"conv", "Conv2d"}});
  CHECK(level_of(analysed, "aten::conv2d") == Level::kApplication);
}

TEST_CASE("an annotation between a container and its layer hides neither") {
  RangeBuilder ranges;
  ranges.begin("Net", "Net", KIND_API, LEVEL_MODEL);
  ranges.begin("Block", "block", KIND_API, LEVEL_LAYER);
  ranges.begin("", "annotation");
  ranges.begin("Conv2d", "block.conv", KIND_API, LEVEL_LAYER);
  ranges.begin("", "another annotation");
  ranges.begin("onednn", "convolution", KIND_LIBRARY_CALL, LEVEL_LIBRARY);
  for (int i = 0; i < 6; ++i) ranges.end();
  const Analysed analysed({ranges.bytes()});
  CHECK(layers_of(analysed) == std::vector<std::vector<std::string>>{{"block.conv", "Conv2d"}});
  const auto& calls = analysed.study->library_calls.calls;
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].layer == row_named(analysed, "block.conv"));
  CHECK(calls[0].evaluation == 0);
}

TEST_CASE("layers of ranges without a model are in no evaluation") {
  RangeBuilder ranges;
  ranges.range("", "aten::conv2d");
  const Analysed analysed({ranges.bytes()});
  CHECK(analysed.evaluations.root.empty());
  CHECK(analysed.evaluations.loose_layers.size() == 1);
}

TEST_CASE("NCCL's ranges are library calls, but not inside a wrapped call") {
  RangeBuilder ranges;
  ranges.range("NCCL", "ncclBroadcast");
  ranges.begin("nccl", "ncclAllReduce", KIND_LIBRARY_CALL, LEVEL_LIBRARY);
  ranges.range("NCCL", "ncclAllReduce range");
  ranges.end();
  const Analysed analysed({ranges.bytes()});
  CHECK(level_of(analysed, "ncclBroadcast") == Level::kLibrary);
  CHECK(level_of(analysed, "ncclAllReduce range") == Level::kApplication);
}

TEST_CASE("started ranges hold nothing by time, and overlap without a word in Q1") {
  TraceBuilder builder;
  builder.add_process(1);
  const SpanSpec range = {.level = LEVEL_APPLICATION, .kind = KIND_NVTX_RANGE, .name = "request"};
  SpanSpec first = range;
  first.begin = 0, first.end = 50'000'000, first.id = 1;
  SpanSpec second = range;
  second.begin = 1'000'000, second.end = 90'000'000, second.id = 2;
  builder.add_evaluation(10, {1, 2});
  builder.add(first);
  builder.add(second);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of[analysed.evaluations.root.at(0)] == analysis::kNoRow);
  for (const uint64_t count : analysed.parents.ambiguous) CHECK(count == 0);
}

TEST_CASE("a mark takes no time, and Q1 finds nothing wrong with it") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 5, .end = 5, .id = 1, .level = LEVEL_APPLICATION, .kind = KIND_NVTX_RANGE, .name = "mark"});
  const Analysed analysed({builder.bytes()});
  CHECK(quality(analysed.table("Q1"), "zero_time") == 0);
}

TEST_CASE("hostile texts of ranges are names like any other") {
  RangeBuilder ranges;
  for (const char* text : {"XlaModule:#", "Thunk:#hlo_op=", "Thunk:#hlo_op", "Thunk:#hlo_op=,", "Thunk:#,hlo_op=....",
                           "XlaModule:#hlo_module=#", "Thunk:#xhlo_op=1,hlo_op=.5"}) {
    ranges.range("TSL", text);
  }
  ranges.range("TensorRT", " []");
  ranges.range("TensorRT", "]");
  ranges.range("TensorRT", "");
  ranges.range("", "aten::");
  ranges.range("", "aten::, ");
  ranges.range("", "autograd::engine::evaluate_function: ");
  report_everything(ranges.bytes());
}

}  // namespace
}  // namespace xsp::test
