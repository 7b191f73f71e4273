#include "analysis/timeline/span_roles.h"

#include <algorithm>

#include "analysis/tables/kernel_tables.h"
#include "test/analysis/support/nested_spans.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::Level;
using analysis::SpanRoleOptions;

/// An imported profile, in the order that the importer writes it.
class Profile : public NestedSpans {
 public:
  explicit Profile(const std::string& source = "kineto") {
    builder().message().mutable_packet(0)->mutable_header()->set_source(source);
  }

  uint32_t op(const std::string& name, const std::string& kernel_name = "") {
    const uint32_t id = begin(KIND_OPERATOR, name, name);
    if (!kernel_name.empty()) kernel(kernel_name);
    end();
    return id;
  }
  void module(const std::string& name, const std::string& type, const std::string& kernel_name = "") {
    begin(KIND_TORCH_MODULE, name, type);
    if (!kernel_name.empty()) op(std::string("aten::").append(kernel_name), kernel_name);
    end();
  }
};

/// Names of the layers of A2, in its order.
std::vector<std::string> layer_names_of(const Analysed& analysed) {
  std::map<double, std::string> rows;
  for (const auto& row : analysed.table("A2").rows) rows[number(row[0])] = text(row[1]);
  std::vector<std::string> layers;
  for (const auto& [index, layer] : rows) layers.push_back(layer);
  return layers;
}

/// By kernel name "layer/evaluation/f|b"; "-" for none.
std::map<std::string, std::string> places_of(const Analysed& analysed) {
  std::map<std::string, std::string> places;
  const auto& trace = analysed.trace;
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const auto& placed = analysed.executions.placed[i];
    std::string place =
        placed.layer == analysis::kNoRow ? "-" : std::string(trace.text(trace.spans.name[placed.layer]));
    place.append("/").append(placed.evaluation == analysis::kNoEvaluation ? "-" : std::to_string(placed.evaluation));
    places[std::string(trace.text(trace.spans.name[trace.executions.row[i]]))] =
        place.append(placed.backward ? "/b" : "/f");
  }
  return places;
}

using Names = std::vector<std::string>;

/// A training step without modules: forward operators, the backward pass on a thread of its own, the optimizer.
void add_step(Profile& profile, const std::string& name) {
  profile.begin(KIND_ANNOTATION, name);
  profile.begin(KIND_OPERATOR, "aten::conv2d", "aten::conv2d");
  profile.last().layout = "inputs:s4";
  profile.last().values = Values().add(profile.builder().string_id(1, "f32[8,3,32,32];f32[6,3,5,5];f32[6]"));
  profile.begin(KIND_OPERATOR, "aten::convolution", "aten::convolution");
  const uint32_t convolution = profile.last().id;
  profile.kernel("conv");
  profile.end();
  profile.end();
  profile.op("aten::relu", "relu");

  profile.on_thread(1);
  profile.begin(KIND_OPERATOR, "autograd::engine::evaluate_function: ConvolutionBackward0");
  profile.begin(KIND_OPERATOR, "ConvolutionBackward0", "ConvolutionBackward0");
  profile.last().forward = convolution;
  profile.kernel("conv_backward");
  profile.end();
  profile.kernel("sum_gradients");
  profile.end();
  profile.begin(KIND_OPERATOR, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
  profile.op("aten::add_", "accumulate");
  profile.end();
  profile.on_thread(0);

  profile.begin(KIND_ANNOTATION, "Optimizer.step#SGD.step");
  profile.op("aten::_foreach_add_", "update");
  profile.end();
  profile.end();
}

TEST_CASE("profiler steps are evaluations, outermost operators their layers") {
  Profile profile;
  for (const char* name : {"ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"}) add_step(profile, name);
  const Analysed analysed({profile.bytes()});
  REQUIRE(analysed.status.ok());
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(text(a1.rows[0][6]) == "ProfilerStep");
  CHECK(analysed.evaluations.root.size() == 3);
  CHECK(layer_names_of(analysed) == Names{"conv2d 3→6 5×5 /32²", "aten::relu", "SGD.step", "bookkeeping"});
  CHECK(text(analysed.table("A2").rows[2][2]) == "Optimizer");
  CHECK(has_note(a1, "steps: ProfilerStep annotations"));
  CHECK(has_note(analysed.table("A2"), "layers: outermost operators"));
  CHECK(has_note(analysed.table("A8"), "--layers"));
}

TEST_CASE("sums of gradients are backward work where the engine had no wrappers yet") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  profile.op("aten::relu", "relu");
  profile.begin(KIND_OPERATOR, "torch::autograd::AccumulateGrad", "torch::autograd::AccumulateGrad");
  profile.op("aten::add_", "accumulate");
  profile.end();
  profile.end();
  const Analysed analysed({profile.bytes()});
  CHECK(layer_names_of(analysed) == Names{"aten::relu", "bookkeeping"});
  CHECK(places_of(analysed)["accumulate"] == "torch::autograd::AccumulateGrad/0/b");
}

TEST_CASE("bookkeeping of an evaluation is one row, the last, with all that it runs") {
  Profile profile;
  for (int step = 0; step < 4; ++step) {
    profile.begin(KIND_ANNOTATION, "ProfilerStep#" + std::to_string(step));
    profile.op("aten::view");
    profile.op("aten::conv2d", "conv");
    // One view more in each step: the sequence stays the same.
    for (int i = 0; i < step; ++i) profile.op("aten::transpose");
    profile.op("aten::relu", "relu");
    profile.op("aten::reshape", "copy_of_a_reshape");
    profile.op("aten::item");
    profile.end();
  }
  const Analysed analysed({profile.bytes()});
  CHECK(layer_names_of(analysed) == Names{"aten::conv2d", "aten::relu", "aten::item", "bookkeeping"});
  const auto a2 = analysed.table("A2");
  for (const auto& row : a2.rows) CHECK(number(row[6]) == 3);
  CHECK(text(a2.rows[3][2]) == "bookkeeping");
  CHECK(has_note(a2, "the row bookkeeping adds up operators that only manage tensors"));
  CHECK(has_note(a2, "4 operators per call"));
  for (const std::string& note : a2.notes) CHECK_FALSE(contains(note, "differ"));
  const auto a6 = analysed.table("A6");
  const auto bookkeeping =
      std::find_if(a6.rows.begin(), a6.rows.end(), [](const auto& row) { return text(row[0]) == "bookkeeping"; });
  REQUIRE(bookkeeping != a6.rows.end());
  CHECK(number((*bookkeeping)[1]) == 4);
  const auto a11 = analysed.table("A11");
  REQUIRE(a11.rows.size() == 5);
  CHECK(text(a11.rows[3][1]) == "bookkeeping");
  CHECK(number(a11.rows[3][4]) == 1);
  CHECK(number(a11.rows[4][4]) == 0);  // none is unattached
  analysis::StudyOptions totals;
  totals.per_trace = true;
  const Analysed whole({profile.bytes()}, totals);
  const auto rows = whole.table("A2").rows;
  CHECK(text(rows.back()[1]) == "bookkeeping");
  CHECK(number(rows.back()[6]) == 4 + 6 + 4);
  CHECK(analysis::contradiction_of_kernel_sums(*whole.study).empty());
}

TEST_CASE("a gradient that starts the reduction of all is communication, and c10d without kernels is bookkeeping") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  profile.op("aten::relu", "relu");
  profile.op("c10d::broadcast_");
  profile.op("nccl:all_to_all", "ncclDevKernel_SendRecv");
  profile.begin(KIND_OPERATOR, "torch::autograd::AccumulateGrad", "torch::autograd::AccumulateGrad");
  profile.op("aten::add_", "accumulate");
  profile.end();
  profile.begin(KIND_OPERATOR, "torch::autograd::AccumulateGrad", "torch::autograd::AccumulateGrad");
  profile.op("torch::distributed::reducer::copy_bucket_to_grad", "copy_bucket");
  profile.op("c10d::allreduce_", "ncclDevKernel_AllReduce");
  profile.end();
  profile.end();
  const Analysed analysed({profile.bytes()});
  CHECK(layer_names_of(analysed) == Names{"aten::relu", "nccl:all_to_all", "c10d::allreduce_", "bookkeeping"});
  const auto a2 = analysed.table("A2");
  CHECK(text(a2.rows[1][2]) == "communication");
  CHECK(text(a2.rows[2][2]) == "communication");
  CHECK(places_of(analysed)["copy_bucket"].starts_with("c10d::allreduce_/0"));
}

TEST_CASE("without kernels communication is told by its operator") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  profile.op("aten::relu");
  profile.op("c10d::allreduce_");
  profile.end();
  const Analysed analysed({profile.bytes()});
  CHECK(layer_names_of(analysed) == Names{"aten::relu", "c10d::allreduce_"});
  CHECK(text(analysed.table("A2").rows[1][2]) == "communication");
}

TEST_CASE("backward work counts for the layer whose gradient it computes, on any thread of the step") {
  Profile profile;
  add_step(profile, "ProfilerStep#5");
  const Analysed analysed({profile.bytes()});
  CHECK(places_of(analysed) == std::map<std::string, std::string>{{"conv", "aten::conv2d/0/f"},
                                                                  {"relu", "aten::relu/0/f"},
                                                                  {"conv_backward", "aten::conv2d/0/b"},
                                                                  {"sum_gradients", "aten::conv2d/0/b"},
                                                                  {"accumulate", "torch::autograd::AccumulateGrad/0/b"},
                                                                  {"update", "SGD.step/0/f"}});
  std::map<std::string, std::string> phases;
  for (const auto& row : analysed.table("A8").rows) phases[text(row.front())] = text(row.back());
  CHECK(phases["conv"] == "forward");
  CHECK(phases["sum_gradients"] == "backward");
  CHECK(phases["accumulate"] == "backward");
  CHECK(phases["update"] == "optimizer");
  const auto a11 = analysed.table("A11");
  CHECK(text(a11.rows[0][1]) == "conv2d 3→6 5×5 /32²");
  CHECK(number(a11.rows[0][4]) == 3);
  // The host's time is that of the forward call alone; the kernels of both passes are in the layer's latency.
  const auto a13 = analysed.table("A13");
  CHECK(number(a13.rows[0][2]) == 1.5);
  const auto& placed = analysed.executions.placed;
  CHECK(analysed.trace.text(analysed.trace.spans.name[placed[0].operator_row]) == "aten::convolution");
}

TEST_CASE("the first convolution of a step tells its batch") {
  Profile profile;
  add_step(profile, "ProfilerStep#5");
  const Analysed analysed({profile.bytes()});
  const auto a1 = analysed.table("A1");
  CHECK(number(a1.rows[0][0]) == 8);
  CHECK(text(a1.rows[0][7]) == "[8,3,32,32]");
}

/// Batch size of a step whose first operator is this one.
double batch_of(const std::string& name, const std::string& inputs) {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  profile.op("aten::empty");
  profile.begin(KIND_OPERATOR, name, name);
  profile.last().layout = "inputs:s4 outputs:s4";
  profile.last().values = Values().add(profile.builder().string_id(1, inputs)).add(uint32_t{0});
  profile.end();
  profile.begin(KIND_OPERATOR, "aten::conv2d", "aten::conv2d");
  profile.last().layout = "inputs:s4";
  profile.last().values = Values().add(profile.builder().string_id(1, "f32[5,3,9,9];f32[6,3,5,5]"));
  profile.end();
  profile.end();
  const Analysed analysed({profile.bytes()});
  return number(analysed.table("A1").rows.at(0)[0]);
}

TEST_CASE("a batch is known only where the shape is sure to begin with it") {
  CHECK(batch_of("aten::relu", "f32[7,7]") == 5);
  CHECK(batch_of("aten::embedding", "f32[30522,768];i64[16,128]") == 16);
  CHECK(batch_of("aten::embedding", "f32[30522,768];i64[128]") == -1);
  CHECK(batch_of("aten::addmm", "f32[6];f32[197,768];f32[768,6]") == -1);
  CHECK(batch_of("aten::linear", "f32[7,7]") == -1);
  CHECK(batch_of("aten::conv2d", "f32[3,9,9];f32[6,3,5,5]") == -1);
  CHECK(batch_of("aten::conv2d", "(f32[3,9,9]);") == -1);
  CHECK(batch_of("aten::conv2d", "") == -1);
  CHECK(batch_of("aten::convert", "f32[7,7]") == 5);
}

/// An encoder with two leaf modules and a functional operator, called by Python functions.
void add_modules(Profile& profile) {
  profile.begin(KIND_PYTHON_FUNCTION, "train.py(3): main");
  profile.begin(KIND_TORCH_MODULE, "Encoder_0", "Encoder");
  profile.begin(KIND_PYTHON_FUNCTION, "encoder.py(1): forward");
  profile.module("Linear_0", "Linear", "addmm");
  profile.begin(KIND_PYTHON_FUNCTION, "functional.py(1): gelu");
  profile.op("aten::gelu", "gelu");
  profile.end();
  profile.begin(KIND_TORCH_MODULE, "Block_0", "Block");
  profile.module("Linear_1", "Linear", "addmm_1");
  profile.end();
  profile.end();
  profile.end();
  profile.end();
}

TEST_CASE("modules that contain none are layers, and so are operators that containers call themselves") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  add_modules(profile);
  profile.op("aten::mse_loss", "loss");
  profile.end();
  const Analysed analysed({profile.bytes()});
  CHECK(layer_names_of(analysed) == Names{"Linear_0", "Encoder_0.gelu", "Linear_1", "aten::mse_loss"});
  CHECK(text(analysed.table("A1").rows.at(0)[6]) == "Encoder");
  CHECK(places_of(analysed)["addmm"] == "Linear_0/0/f");
  CHECK(places_of(analysed)["gelu"] == "aten::gelu/0/f");
  CHECK(quality(analysed.table("Q1"), "layers_containing_layers") <= 0);
}

TEST_CASE("steps that call several outermost modules are named after that with most time") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  add_modules(profile);
  profile.module("Loss_0", "CrossEntropyLoss");
  profile.end();
  const Analysed analysed({profile.bytes()});
  CHECK(text(analysed.table("A1").rows.at(0)[6]) == "Encoder");
  CHECK(has_note(analysed.table("A1"), "time of outermost modules in them: Encoder"));
}

TEST_CASE("without steps the outermost modules are evaluations, and linked backward work is theirs") {
  Profile profile;
  profile.begin(KIND_TORCH_MODULE, "Net_0", "Net");
  profile.begin(KIND_TORCH_MODULE, "Linear_0", "Linear");
  const uint32_t addmm = profile.op("aten::addmm", "forward");
  profile.end();
  profile.end();
  profile.on_thread(1);
  profile.begin(KIND_OPERATOR, "AddmmBackward0");
  profile.last().forward = addmm;
  profile.kernel("backward");
  profile.end();
  const Analysed analysed({profile.bytes()});
  CHECK(places_of(analysed) ==
        std::map<std::string, std::string>{{"forward", "Linear_0/0/f"}, {"backward", "Linear_0/0/b"}});
  CHECK(has_note(analysed.table("A1"), "s: outermost modules"));
  CHECK(layer_names_of(analysed) == Names{"Linear_0"});
}

TEST_CASE("--model-span takes what it matches, and nothing else is a model then") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  for (int i = 0; i < 3; ++i) {
    profile.begin(KIND_ANNOTATION, std::string("forward ").append(std::to_string(i)));
    profile.op("aten::relu", "relu");
    profile.begin(KIND_ANNOTATION, "forward inside");
    profile.end();
    profile.end();
  }
  profile.op("aten::add", "outside");
  profile.end();
  const Analysed analysed({profile.bytes()}, {}, {.model_span = "forward.*"});
  REQUIRE(analysed.status.ok());
  CHECK(analysed.evaluations.root.size() == 3);
  CHECK(text(analysed.table("A1").rows.at(0)[6]) == "forward");
  CHECK(places_of(analysed)["outside"] == "aten::add/-/f");
  CHECK(has_note(analysed.table("A1"), "what matches forward.*"));
}

TEST_CASE("--model-span works on live traces, too, and takes their own models the role") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec request{.begin = 1'000'000, .end = 90'000'000, .id = 900, .level = LEVEL_APPLICATION};
  request.kind = KIND_NVTX_RANGE;
  request.name = "request";
  request.thread = 200;
  request.ring = 1;
  builder.add_evaluation(10, {1, 2});
  builder.add_evaluation(100, {1, 2});
  builder.add(request);
  const Analysed analysed({builder.bytes()}, {}, {.model_span = "request"});
  REQUIRE(analysed.evaluations.root.size() == 1);
  CHECK(analysed.evaluations.layer_count(0) == 2);
  CHECK(analysed.evaluations.loose_layers.size() == 2);
}

TEST_CASE("work of other threads is in the match that it lies in, but not where they have matches of their own") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "request");
  profile.on_thread(1);
  profile.op("aten::relu", "worker");
  profile.on_thread(2);
  profile.op("aten::relu", "between");
  profile.begin(KIND_ANNOTATION, "request");
  profile.op("aten::relu", "own");
  profile.end();
  profile.on_thread(0);
  profile.end();
  profile.on_thread(1);
  profile.op("aten::relu", "late");
  const Analysed analysed({profile.bytes()}, {}, {.model_span = "request"});
  auto places = places_of(analysed);
  CHECK(places["worker"] == "aten::relu/0/f");
  CHECK(places["between"] == "aten::relu/-/f");
  CHECK(places["own"] == "aten::relu/1/f");
  CHECK(places["late"] == "aten::relu/-/f");
}

TEST_CASE("a choice that finds nothing is an error that says what there is") {
  Profile profile;
  add_step(profile, "ProfilerStep#1");
  const std::string bytes = profile.bytes();
  const auto error_of = [&](const SpanRoleOptions& options) { return Analysed({bytes}, {}, options).status.error; };
  CHECK(error_of({.model_span = "forward"}).find("operators, annotations") != std::string::npos);
  CHECK(error_of({.layers = "module"}).find("the trace has: operators, annotations") != std::string::npos);
  CHECK(error_of({.layers = "library"}).find("finds no layer") != std::string::npos);
  CHECK(error_of({.layers = "nvtx:nothing"}).find("finds no layer") != std::string::npos);
  CHECK(error_of({.layers = "ops"}) == "--layers: unknown value 'ops'");
  CHECK(Analysed({bytes}, {}, {.layers = "ops"}).status.hint.find("did you mean op?") != std::string::npos);
  CHECK(error_of({.layers = "nvtx:("}).find("no regular expression") != std::string::npos);
  CHECK(error_of({.layers = "op"}).empty());
}

TEST_CASE("what a trace was imported with is the default, and options replace it") {
  Profile profile;
  profile.builder().message().mutable_packet(0)->mutable_header()->set_layers("op");
  profile.builder().message().mutable_packet(0)->mutable_header()->set_model_span("Encoder.*");
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  add_modules(profile);
  profile.end();
  const std::string bytes = profile.bytes();
  const Analysed imported({bytes});
  CHECK(layer_names_of(imported) == Names{"aten::addmm", "aten::gelu", "aten::addmm_1"});
  CHECK(text(imported.table("A1").rows.at(0)[6]) == "Encoder_0");
  const Analysed chosen({bytes}, {}, {.layers = "module", .model_span = "ProfilerStep.*"});
  CHECK(layer_names_of(chosen) == Names{"Linear_0", "Encoder_0.gelu", "Linear_1"});
}

TEST_CASE("chosen ranges are layers") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  for (const char* name : {"stage a", "stage b"}) {
    profile.begin(KIND_NVTX_RANGE, name);
    profile.begin(KIND_NVTX_RANGE, "stage inside");
    profile.op("aten::relu", name);
    profile.end();
    profile.end();
  }
  profile.end();
  const Analysed analysed({profile.bytes()}, {}, {.layers = "nvtx:stage .*"});
  CHECK(layer_names_of(analysed) == Names{"stage a", "stage b"});
  CHECK(places_of(analysed)["stage b"] == "stage b/0/f");
}

TEST_CASE("without modules and operators library calls that start something are layers, and library calls still") {
  Profile profile("nsys");
  for (int i = 0; i < 2; ++i) {
    profile.leaf(KIND_LIBRARY_CALL, "cublasSetMathMode", "cublas", LEVEL_LIBRARY);
    profile.begin(KIND_LIBRARY_CALL, "cudnnConvolutionForward", "cudnn", LEVEL_LIBRARY);
    profile.begin(KIND_LIBRARY_CALL, "cublasLtMatmul", "cublasLt", LEVEL_LIBRARY);
    profile.kernel("gemm");
    profile.end();
    profile.end();
    profile.kernel("elementwise");
  }
  const Analysed analysed({profile.bytes()});
  REQUIRE(analysed.status.ok());
  CHECK(layer_names_of(analysed) == Names{"cudnnConvolutionForward"});
  const auto a2 = analysed.table("A2");
  CHECK(text(a2.rows[0][2]) == "cudnnConvolutionForward");
  CHECK(number(a2.rows[0][6]) == 2);
  CHECK(has_note(a2, "--model-span REGEX"));
  CHECK(has_note(a2, "layers: library calls"));
  const auto a8 = analysed.table("A8");
  REQUIRE(a8.rows.size() == 4);
  CHECK(text(a8.rows[0][2]) == "cudnnConvolutionForward");
  CHECK(text(a8.rows[0][3]) == "cudnnConvolutionForward");
  CHECK(text(a8.rows[1][3]).empty());
  const auto c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 6);
  CHECK(text(c1.rows[1][2]) == "cudnnConvolutionForward");
  CHECK(text(c1.rows[1][4]) == "cudnnConvolutionForward");
  CHECK(text(c1.rows[2][4]) == "cudnnConvolutionForward");
  const auto a11 = analysed.table("A11");
  CHECK(number(a11.rows[0][4]) == 2);
  CHECK(number(a11.rows[1][4]) == 2);
  for (const char* id : {"A3", "A4", "A5", "A6", "A7", "A10", "A13", "A15", "C2"}) {
    INFO(id);
    CHECK(analysed.table(id).contradiction.empty());
    CHECK_FALSE(analysed.table(id).rows.empty());
  }
}

TEST_CASE("a live trace keeps its library calls below the layers, unless they are chosen") {
  Profile profile("");
  profile.begin(KIND_LIBRARY_CALL, "cublasSgemm", "cublas", LEVEL_LIBRARY);
  profile.kernel("gemm");
  profile.end();
  const std::string bytes = profile.bytes();
  CHECK(layer_names_of(Analysed({bytes})).empty());
  CHECK(layer_names_of(Analysed({bytes}, {}, {.layers = "library"})) == Names{"cublasSgemm"});
}

TEST_CASE("a step with nothing beside it in its process is no evaluation") {
  Profile profile;
  profile.leaf(KIND_ANNOTATION, "ProfilerStep#1");
  const uint32_t other = profile.builder().add_process(8);
  SpanSpec op{.begin = 1000, .end = 2000, .id = 1, .level = LEVEL_APPLICATION, .kind = KIND_OPERATOR, .name = "triton"};
  op.process = other;
  profile.builder().add(op);
  const Analysed analysed({profile.bytes()});
  CHECK(analysed.evaluations.root.empty());
  CHECK(layer_names_of(analysed) == Names{"triton"});
}

TEST_CASE("names that only look like steps are annotations") {
  for (const char* name : {"ProfilerStep", "ProfilerStep#", "ProfilerStep#a", "ProfilerStep#5 ", "xProfilerStep#5"}) {
    Profile profile;
    profile.begin(KIND_ANNOTATION, name);
    profile.op("aten::relu");
    profile.end();
    CHECK(Analysed({profile.bytes()}).evaluations.root.empty());
  }
}

TEST_CASE("an operator around modules hides none of them") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  profile.begin(KIND_OPERATOR, "Torch-Compiled Region");
  profile.module("Linear_0", "Linear", "addmm");
  profile.op("aten::gelu", "gelu");
  profile.end();
  profile.end();
  CHECK(layer_names_of(Analysed({profile.bytes()})) == Names{"Linear_0", "aten::gelu"});
}

TEST_CASE("hostile links do not loop") {
  Profile profile;
  profile.begin(KIND_ANNOTATION, "ProfilerStep#1");
  const uint32_t first = profile.begin(KIND_OPERATOR, "a");
  profile.last().forward = first;
  profile.kernel("k1");
  profile.end();
  profile.begin(KIND_OPERATOR, "b");
  profile.last().forward = profile.last().id + 4;
  profile.kernel("k2");
  profile.end();
  profile.begin(KIND_OPERATOR, "c");
  profile.last().forward = profile.last().id - 2;
  profile.kernel("k3");
  profile.end();
  profile.end();
  report_everything(profile.bytes());
}

}  // namespace
}  // namespace xsp::test
