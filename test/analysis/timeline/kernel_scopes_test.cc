#include "analysis/timeline/kernel_scopes.h"

#include <algorithm>
#include <array>
#include <map>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

/// Calls of a function of TensorFlow whose kernels run on a thread of a pool.
class Calls {
 public:
  /// Kernels as name, type and shape, one after the other.
  using Kernels = std::vector<std::array<std::string, 3>>;

  void add(const Kernels& kernels, const std::string& function = "infer") {
    constexpr uint32_t kThread = 200;
    SpanSpec call{.begin = now_, .level = LEVEL_MODEL, .kind = KIND_RUN, .name = function, .type = "TensorFlow"};
    call.scope = scope_;
    call.id = ++id_;
    int64_t at = now_ + 10;
    for (const auto& [name, type, shape] : kernels) {
      // A convolution takes ten times as long.
      SpanSpec kernel{.begin = at, .end = at + (type == "Conv2D" ? 100 : 10), .kind = KIND_OPERATOR, .name = name};
      kernel.type = type;
      kernel.shape = shape;
      kernel.scope = call.scope;
      kernel.thread = kThread;
      kernel.ring = 1;
      kernel.id = ++id_;
      builder_.add(kernel);
      at = kernel.end + gap_;
    }
    call.end = at + 10;
    builder_.add(call);
    now_ = call.end + 100;
  }

  /// Calls from now on have this scope.
  void in_scope(const std::string& scope) { scope_ = scope; }

  /// Between kernels from now on.
  void with_gaps(int64_t gap_ns) { gap_ = gap_ns; }

  /// A table's rows, by the names of columns.
  std::vector<std::map<std::string, analysis::Cell>> rows(const std::string& name) {
    const Analysed analysed({builder_.bytes()});
    const analysis::Table table = analysed.table(name);
    std::vector<std::map<std::string, analysis::Cell>> all;
    for (const auto& row : table.rows) {
      auto& cells = all.emplace_back();
      for (size_t i = 0; i < row.size(); ++i) cells[table.columns[i].name] = row[i];
    }
    return all;
  }

  /// A1's models.
  std::vector<std::string> models() {
    const Analysed analysed({builder_.bytes()});
    const analysis::Table table = analysed.table("A1");
    size_t column = 0;
    while (table.columns[column].name != "model") ++column;
    std::vector<std::string> names;
    for (const auto& row : table.rows) names.push_back(text(row[column]));
    return names;
  }

  /// A2's rows as "name type shape".
  std::vector<std::string> layers(const std::string& choice = "") {
    analysis::SpanRoleOptions options;
    options.layers = choice;
    const Analysed analysed({builder_.bytes()}, {}, options);
    std::map<double, std::string> rows;
    for (const auto& row : analysed.table("A2").rows) {
      rows[number(row[0])] = text(row[1]) + " " + text(row[2]) + " " + text(row[3]);
    }
    std::vector<std::string> all;
    for (const auto& [index, row] : rows) all.push_back(row);
    return all;
  }

 private:
  TraceBuilder builder_;
  int64_t now_ = 1000;
  uint32_t id_ = 0;
  std::string scope_ = "tensorflow 1";
  int64_t gap_ = 1;
};

using Lines = std::vector<std::string>;

TEST_CASE("kernels of one scope are a layer, with the type of the longest and the last shape") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add({{"net/conv/Reshape", "Reshape", "[1,8]"},
               {"net/conv/Conv2D", "Conv2D", "[2,8,8,8]"},
               {"net/norm/batchnorm/mul_1", "Mul", "[2,8,8,8]"},
               {"net/norm/batchnorm/add_1", "AddV2", "[2,8,8,8]"},
               {"net/dense/Tensordot/MatMul", "MatMul", "[2,10]"}});
  }
  CHECK(calls.layers() == Lines{"net/conv Conv2D [2,8,8,8]", "net/norm Mul [2,8,8,8]", "net/dense MatMul [2,10]"});
}

TEST_CASE("with --layers op every kernel is a layer") {
  Calls calls;
  for (int i = 0; i < 3; ++i) calls.add({{"net/conv/Reshape", "Reshape", "[1]"}, {"net/conv/Conv2D", "Conv2D", "[2]"}});
  CHECK(calls.layers("op") == Lines{"net/conv/Reshape Reshape [1]", "net/conv/Conv2D Conv2D [2]"});
}

TEST_CASE("what a step takes from an iterator is its input, and its kernels' scopes tell its phases") {
  Calls calls;
  for (int i = 0; i < 4; ++i) {
    calls.add({{"IteratorGetNext", "IteratorGetNext", "[32,8,8,3];[32]"},
               {"net/conv/Conv2D", "Conv2D", "[32,8,8,8]"},
               {"gradient_tape/net/conv/Conv2DBackpropFilter", "Conv2DBackpropFilter", "[3,3,3,8]"},
               {"adam_1/AssignSubVariableOp", "AssignSubVariableOp", ""},
               {"AssignAddVariableOp", "AssignAddVariableOp", ""}},
              "one_step_on_iterator");
  }
  const auto models = calls.rows("A1");
  REQUIRE(models.size() == 1);
  CHECK(text(models[0].at("model")) == "net (fit or evaluate)");
  CHECK(text(models[0].at("input")) == "[32,8,8,3];[32]");
  CHECK(number(models[0].at("batch_size")) == 32);
  CHECK(text(models[0].at("mode")) == "training");
  // 10, 10 and 1 + 100 ns; then 1 + 10; then 1 + 10 twice, and what is left of the call.
  CHECK(number(models[0].at("forward_ms")) == Approx(121e-6));
  CHECK(number(models[0].at("backward_ms")) == Approx(11e-6));
  CHECK(number(models[0].at("optimizer_ms")) == Approx(33e-6));
}

TEST_CASE("calls without gradients are inference beside those that train") {
  Calls calls;
  for (int i = 0; i < 4; ++i) {
    calls.add({{"net/conv/Conv2D", "Conv2D", "[32,8]"}}, "infer");
    calls.add({{"net/conv/Conv2D", "Conv2D", "[32,8]"}, {"gradients/net/conv/Mul", "Mul", "[32,8]"}}, "train");
  }
  std::map<std::string, std::string> modes;
  for (const auto& row : calls.rows("A1")) modes[text(row.at("model"))] = text(row.at("mode"));
  CHECK(modes == std::map<std::string, std::string>{{"infer", "inference"}, {"train", "training"}});
}

TEST_CASE("a scope around other layers is none: its own kernels are layers") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add({{"net/Pad", "Pad", "[4]"}, {"net/conv/Conv2D", "Conv2D", "[4]"}, {"net/Relu", "Relu", "[4]"}});
  }
  CHECK(calls.layers() == Lines{"net/Pad Pad [4]", "net/conv Conv2D [4]", "net/Relu Relu [4]"});
}

TEST_CASE("a program's only scope with several products is no layer") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add({{"net/MatMul", "MatMul", "[4]"}, {"net/Relu", "Relu", "[4]"}, {"net/MatMul_1", "MatMul", "[5]"}});
  }
  CHECK(calls.layers() == Lines{"net/MatMul MatMul [4]", "net/Relu Relu [4]", "net/MatMul_1 MatMul [5]"});
}

TEST_CASE("names without a scope stay as they are") {
  Calls calls;
  for (int i = 0; i < 3; ++i) calls.add({{"MatMul", "MatMul", "[4]"}, {"Relu", "Relu", "[4]"}});
  CHECK(calls.layers() == Lines{"MatMul MatMul [4]", "Relu Relu [4]"});
}

TEST_CASE("what an inlined function's nodes have in front is left out") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add({{"StatefulPartitionedCall/net/conv/Conv2D", "Conv2D", "[4]"},
               {"StatefulPartitionedCall/PartitionedCall_1/net/conv/Relu", "Relu", "[4]"},
               {"StatefulPartitionedCall/mul", "Mul", "[1]"}});
  }
  CHECK(calls.layers() == Lines{"net/conv Conv2D [4]", "mul Mul [1]"});
}

TEST_CASE("the numbers that Keras 3 gives a network and all of its layers are left out") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add({{"net_1/conv_1/Conv2D", "Conv2D", "[4]"},
               {"net_1/conv_1_1/Conv2D", "Conv2D", "[5]"},
               {"net_1/Relu_1", "Relu", "[5]"},
               {"other_1/dense/MatMul", "MatMul", "[6]"}},
              "predict_function");
  }
  CHECK(calls.layers() ==
        Lines{"net/conv Conv2D [4]", "net/conv_1 Conv2D [5]", "net/Relu_1 Relu [5]", "other_1/dense MatMul [6]"});
  CHECK(calls.models() == Lines{"net (predict)"});
}

TEST_CASE("gradients are joined by the layer whose they are") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add({{"net/norm/batchnorm/mul", "Mul", "[4]"},
               {"net/dense/MatMul", "MatMul", "[4]"},
               {"gradient_tape/net/dense/MatMul/MatMul", "MatMul", "[4]"},
               {"gradient_tape/net/dense/MatMul/MatMul_1", "MatMul", "[8]"},
               {"gradient_tape/net/norm/batchnorm/mul/Mul", "Mul", "[4]"},
               {"gradient_tape/net/norm/batchnorm/mul/Sum", "Sum", "[1]"}});
  }
  CHECK(calls.layers() == Lines{"net/norm Mul [4]", "net/dense MatMul [4]", "gradient_tape/net/dense MatMul [8]",
                                "gradient_tape/net/norm Mul [1]"});
}

TEST_CASE("time in which a layer waits is not the layer's") {
  Calls calls;
  calls.with_gaps(50'000);
  for (int i = 0; i < 3; ++i) calls.add({{"net/norm/Mul", "Mul", "[1]"}, {"net/norm/AddV2", "AddV2", "[2]"}});
  CHECK(calls.layers() == Lines{"net/norm Mul [1]", "net/norm AddV2 [2]"});
}

TEST_CASE("a call without kernels is named as the others of its function are, or none is") {
  Calls calls;
  for (int i = 0; i < 3; ++i) calls.add({{"first/dense/MatMul", "MatMul", "[4]"}}, "predict_function");
  for (int i = 0; i < 3; ++i) calls.add({}, "predict_function");
  CHECK(calls.models() == Lines{"first (predict)"});
  for (int i = 0; i < 3; ++i) calls.add({{"second/dense/MatMul", "MatMul", "[4]"}}, "predict_function");
  CHECK(calls.models() == Lines{"predict_function"});
}

TEST_CASE("calls at the same time are of one model") {
  Calls calls;
  for (int i = 0; i < 6; ++i) {
    calls.in_scope("tensorflow " + std::to_string(1 + i % 2));
    calls.add({{"net/conv/Conv2D", "Conv2D", "[4]"}});
  }
  CHECK(calls.models() == Lines{"infer"});
  CHECK(calls.layers() == Lines{"net/conv Conv2D [4]"});
}

TEST_CASE("calls of Keras' functions are named by the scope of their model") {
  const Calls::Kernels first = {{"first/conv/Conv2D", "Conv2D", "[4]"},
                                {"first/dense/MatMul", "MatMul", "[4]"},
                                {"gradient_tape/first/dense/MatMul", "MatMul", "[4]"},
                                {"gradient_tape/first/conv/Conv2D", "Conv2D", "[4]"},
                                {"gradient_tape/first/conv/Relu", "Relu", "[4]"},
                                {"loss/Sum", "Sum", "[]"}};
  Calls calls;
  for (int i = 0; i < 3; ++i) calls.add(first, "train_function");
  CHECK(calls.models() == Lines{"first (fit)"});
  for (int i = 0; i < 3; ++i) calls.add({{"second/dense/MatMul", "MatMul", "[4]"}}, "predict_function");
  auto models = calls.models();
  std::sort(models.begin(), models.end());
  CHECK(models == Lines{"first (fit)", "second (predict)"});
}

TEST_CASE("kernels that run in another order each time are the same layers, if none occurs twice") {
  const std::array<std::string, 3> a{"a", "MatMul", "[1]"};
  const std::array<std::string, 3> b{"b", "Relu", "[1]"};
  const std::array<std::string, 3> c{"c", "Conv2D", "[1]"};
  Calls calls;
  for (const Calls::Kernels& order : {Calls::Kernels{a, b, c}, {c, b, a}, {b, c, a}, {c, a, b}}) calls.add(order);
  const auto rows = calls.rows("A2");
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) {
    CHECK(number(row.at("n")) == 3);
    CHECK(number(row.at("latency_ms")) == Approx(text(row.at("type")) == "Conv2D" ? 100e-6 : 10e-6));
  }
}

}  // namespace
}  // namespace xsp::test
