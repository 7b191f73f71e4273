#include "analysis/timeline/evaluations.h"

#include "test/analysis/support/live_trace.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

TEST_CASE("the batch size is the first dimension of the first input") {
  using analysis::leading_dimension;
  CHECK(leading_dimension("[8,3,224,224];[2,77]") == 8);
  CHECK(leading_dimension("[16]") == 16);
  for (const char* shapes : {"", "[", "[]", "8,3", "[N,3]", "[-1,3]", "[0,3]", "[8", "[99999999999999999999,1]"}) {
    CHECK_FALSE(leading_dimension(shapes));
  }
}

/// What a constructor calls to find sizes: a module with a module inside, and one without.
void construct(LiveTrace& trace) {
  trace.begin(KIND_TORCH_CONSTRUCTION, "Stem", "Stem");
  trace.module("convolution", "Conv2d", "aten::conv2d");
  trace.op("aten::add");
  trace.end();
  trace.begin(KIND_TORCH_CONSTRUCTION, "Concat", "Concat");
  trace.op("aten::cat");
  trace.end();
}

TEST_CASE("what constructors call is no evaluation, none of its layers is counted as lost, and a note says so") {
  LiveTrace trace;
  construct(trace);
  for (int i = 0; i < 3; ++i) {
    trace.begin_model("Net");
    trace.module("stem.convolution", "Conv2d", "aten::conv2d");
    trace.end();
  }
  const Analysed analysed({trace.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 1);
  CHECK(analysed.evaluations.constructions.size() == 2);
  const auto a1 = analysed.table("A1");
  CHECK(a1.rows.size() == 1);
  CHECK(has_note(a1, "2 calls from constructors of modules (Stem, Concat) are left out: they do not run the model"));
  CHECK(analysed.table("A2").rows.size() == 1);
  CHECK(quality(analysed.table("Q1"), "unattached", "layer") == 0);
}

TEST_CASE("where a program calls modules in constructors alone these are its models") {
  LiveTrace trace;
  construct(trace);
  const Analysed analysed({trace.bytes()});
  CHECK(analysed.evaluations.groups.size() == 2);
  CHECK(analysed.evaluations.constructions.empty());
  CHECK(layers_of(analysed) == std::vector<std::string>{"convolution:Conv2d", "aten::add:aten::add"});
}

TEST_CASE("evaluations are grouped by process, model and input") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_process(2);
  builder.add_evaluation(0, {1}, "Net", "[1,3]");
  builder.add_evaluation(10, {1}, "Net", "[2,3]");
  builder.add_evaluation(20, {1}, "Net", "[1,3]");
  builder.add_evaluation(30, {1}, "Other", "[1,3]");
  builder.add_evaluation(40, {1}, "Net", "[1,3]", 2);
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.evaluations.groups.size() == 4);
  CHECK(analysed.evaluations.groups[0].evaluations.size() == 2);
  CHECK(analysed.evaluations.groups[1].batch_size == 2);
  CHECK(analysed.study->subject == 0);

  const auto rows_with = [&](const std::string& model, const std::string& process) {
    analysis::StudyOptions options;
    options.model = model;
    options.process = process;
    const Analysed selected({builder.bytes()}, options);
    return selected.study ? selected.table("A1").rows.size() : 0;
  };
  CHECK(rows_with("", "") == 4);
  CHECK(rows_with("Net", "") == 3);
  CHECK(rows_with("", "2") == 1);
  CHECK(rows_with("Nothing", "") == 0);
  CHECK(rows_with("", "77") == 0);
}

TEST_CASE("a process is chosen by its rank") {
  TraceBuilder builder;
  builder.add_process(10, "0");
  builder.add_process(11, "1");
  builder.add_evaluation(0, {1}, "Net", "[1]", 1);
  builder.add_evaluation(0, {1}, "Net", "[1]", 2);
  analysis::StudyOptions options;
  options.process = "rank1";
  const Analysed analysed({builder.bytes()}, options);
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(text(a1.rows[0][8]) == "rank 1 (pid 11)");
}

SpanSpec root_of(int64_t begin, int kind, const std::string& name, const std::string& scope) {
  SpanSpec span{.begin = begin, .end = begin + 1000, .level = LEVEL_MODEL, .kind = kind, .name = name, .scope = scope};
  span.id = static_cast<uint32_t>(begin / 10'000) + 1;
  span.input = "[1,3]";
  return span;
}

TEST_CASE("instances of one model name are different models, and named where the name is not enough") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(root_of(0, KIND_TORCH_ROOT, "Sequential", "Sequential #1"));
  builder.add(root_of(10'000, KIND_TORCH_ROOT, "Sequential", "Sequential #2"));
  builder.add(root_of(20'000, KIND_TORCH_ROOT, "Sequential", "Sequential #2"));
  builder.add(root_of(30'000, KIND_ORT_RUN, "mlp.onnx", "onnxruntime session 3"));
  builder.add(root_of(40'000, KIND_ORT_RUN, "mlp.onnx", "onnxruntime session 4"));
  builder.add(root_of(50'000, KIND_TORCH_ROOT, "Net", "Net #1"));
  const std::string bytes = builder.bytes();
  const auto models = [&](const std::string& model) {
    analysis::StudyOptions options;
    options.model = model;
    const Analysed selected({bytes}, options);
    std::vector<std::string> names;
    if (!selected.study) return std::vector<std::string>{selected.status.error};
    for (const auto& row : selected.table("A1").rows) names.push_back(text(row[6]));
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(models("") == Names{"Sequential #1", "Sequential #2", "mlp.onnx (session 3)", "mlp.onnx (session 4)", "Net"});
  CHECK(models("Sequential") == Names{"Sequential #1", "Sequential #2"});
  CHECK(models("Sequential #2") == Names{"Sequential #2"});
  CHECK(models("mlp.onnx (session 4)") == Names{"mlp.onnx (session 4)"});
  CHECK(models("Net #1") == Names{"Net"});
  CHECK(models("Sequential #9") == Names{"no model Sequential #9 (the trace has: Net, Sequential #1, Sequential #2, "
                                         "mlp.onnx (session 3), mlp.onnx (session 4))"});
  analysis::StudyOptions options;
  options.model = "Sequential";
  const Analysed largest({bytes}, options);
  CHECK(largest.study->subject == 1);
}

TEST_CASE("a session's call that sets its variables is not what tables are of, however long it takes") {
  TraceBuilder builder;
  uint32_t id = 0;
  const auto run = [&](int64_t begin_ms, int64_t ms, const char* input) {
    SpanSpec span{.begin = begin_ms * 1'000'000,
                  .end = (begin_ms + ms) * 1'000'000,
                  .id = ++id,
                  .level = LEVEL_MODEL,
                  .kind = KIND_RUN};
    span.name = "Session.run";
    span.input = input;
    builder.add(span);
  };
  run(0, 500, "[]");
  run(600, 1, "[4,3]");
  run(700, 1, "[4,3]");
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.study->subject);
  CHECK(analysed.evaluations.groups[*analysed.study->subject].batch_size == 4);

  // One that is called as often may be the model.
  run(800, 500, "[]");
  const Analysed as_often({builder.bytes()});
  REQUIRE(as_often.study->subject);
  CHECK_FALSE(as_often.evaluations.groups[*as_often.study->subject].batch_size);
}

TEST_CASE("warm-up: the first of more than two, or --skip") {
  const auto used = [](uint32_t count, std::optional<size_t> skip, bool per_trace = false) {
    TraceBuilder builder;
    builder.add_process(1);
    for (uint32_t i = 0; i < count; ++i) {
      builder.add({.begin = int64_t{20} * i,
                   .end = int64_t{20} * i + 10,
                   .id = i + 1,
                   .level = LEVEL_MODEL,
                   .name = "predict"});
    }
    analysis::StudyOptions options;
    options.skip = skip;
    options.per_trace = per_trace;
    const Analysed analysed({builder.bytes()}, options);
    return analysis::used_evaluations(*analysed.study, analysed.evaluations.groups[0]).size();
  };
  CHECK(used(1, {}) == 1);
  CHECK(used(2, {}) == 2);
  CHECK(used(3, {}) == 2);
  CHECK(used(3, 0) == 3);
  CHECK(used(3, 2) == 1);
  CHECK(used(3, 9) == 0);
  CHECK(used(3, 2, true) == 3);
}

TEST_CASE("of nested model spans the outermost is the evaluation, and containers are no layers") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec layer{.begin = 20, .end = 30, .id = 4, .parent = 3, .kind = KIND_TORCH_MODULE, .name = "conv"};
  builder.add(layer);
  builder.add({.begin = 15, .end = 35, .id = 3, .parent = 2, .kind = KIND_TORCH_CONTAINER, .name = "body"});
  builder.add(
      {.begin = 10, .end = 40, .id = 2, .parent = 1, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "Net"});
  builder.add({.begin = 0, .end = 50, .id = 1, .level = LEVEL_MODEL, .kind = KIND_API, .name = "predict"});
  builder.add({.begin = 60, .end = 70, .id = 5, .kind = KIND_TORCH_MODULE, .name = "outside"});
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.evaluations.root == std::vector<analysis::Row>{3});
  CHECK(analysed.evaluations.layers == std::vector<analysis::Row>{0});
  CHECK(analysed.evaluations.loose_layers == std::vector<analysis::Row>{4});
  CHECK(quality(analysed.table("Q1"), "unattached", "layer") == 1);
}

TEST_CASE("a layer that runs another model is a container of that model's layers") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec node{.begin = 30'000, .end = 40'000, .kind = KIND_ORT_NODE, .name = "node", .scope = "session"};
  node.thread = 7;
  node.ring = 9;
  builder.add(node);
  SpanSpec run{.begin = 20'000, .end = 50'000, .id = 3, .parent = 2, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN};
  run.scope = "session";
  builder.add(run);
  builder.add({.begin = 10'000, .end = 60'000, .id = 2, .parent = 1, .kind = KIND_TORCH_MODULE, .name = "module"});
  builder.add({.begin = 0, .end = 90'000, .id = 1, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "Net"});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.evaluations.layers == std::vector<analysis::Row>{0});
  CHECK(analysed.table("A2").rows.size() == 1);
  CHECK(quality(analysed.table("Q1"), "layers_containing_layers", "layer") == 1);
}

TEST_CASE("a layer that contains layers counts as a container") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 20, .end = 30, .id = 3, .parent = 2, .kind = KIND_TORCH_MODULE, .name = "inner"});
  builder.add({.begin = 15, .end = 35, .id = 2, .parent = 1, .kind = KIND_API, .name = "marked"});
  builder.add({.begin = 0, .end = 50, .id = 1, .level = LEVEL_MODEL, .name = "predict"});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.evaluations.layers == std::vector<analysis::Row>{0});
  CHECK(quality(analysed.table("Q1"), "layers_containing_layers", "layer") == 1);
}

TEST_CASE("a call that ended by an exception is no evaluation, and its layers count with --per trace only") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {50}, "Net", "[4,3]", 1, true);
  builder.add_evaluation(100, {9, 1});  // the warm-up
  builder.add_evaluation(200, {1, 2});
  builder.add_evaluation(300, {3}, "Net", "[4,3]", 1, true);
  builder.add_evaluation(400, {1, 2});
  builder.add_evaluation(500, {3}, "Broken", "[4,3]", 1, true);
  const std::string bytes = builder.bytes();
  const Analysed analysed({bytes});
  const auto a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(number(a1.rows[0][4]) == 2);
  CHECK(number(a1.rows[0][1]) == Approx(4));
  CHECK(has_note(a1, "3 calls ended with an exception and are left out"));
  CHECK(number(analysed.table("A2").rows[0][4]) == Approx(1));
  const auto q1 = analysed.table("Q1");
  CHECK(quality(q1, "failed_evaluations", "model") == 3);
  CHECK(quality(q1, "unattached") == 0);

  analysis::StudyOptions options;
  options.per_trace = true;
  const Analysed whole({bytes}, options);
  double sum = 0;
  for (const auto& row : whole.table("A6").rows) sum += number(row[2]);
  CHECK(sum == Approx(10 + 3 + 3 + 50 + 3 + 3));
}

TEST_CASE("a trace in which every call failed says so, and a failed run is not one without layers") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec run{.begin = 5, .end = 9, .id = 1, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "session"};
  run.failed = true;
  builder.add(run);
  const Analysed analysed({builder.bytes()});
  CHECK(has_note(analysed.table("A1"), "every model call ended with an exception"));
  CHECK(quality(analysed.table("Q1"), "runs_without_layers", "model") == 0);
}

}  // namespace
}  // namespace xsp::test
