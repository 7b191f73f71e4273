#include "analysis/timeline/mxnet_calls.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

/// An operator as name and type.
using Operator = std::pair<std::string, std::string>;

/// Calls of MXNet: their spans lie on the engine's thread, with their operators.
class Calls {
 public:
  /// A call with these operators, each of 10 ns, 5 ns apart, that begins at the builder's time.
  void add(const std::string& name, const std::vector<Operator>& operators, const std::string& type = "MXNet") {
    SpanSpec call{
        .begin = next_begin_.value_or(now_), .level = LEVEL_MODEL, .kind = KIND_RUN, .name = name, .type = type};
    call.input = "[4,3]";
    call.scope = "mxnet " + std::to_string(1 + id_ % 2);  // as of calls that overlap
    next_begin_.reset();
    now_ += 5;
    const std::string scope = call.scope;
    for (const auto& [own, kind] : operators) add_operator(own, kind, scope);
    call.end = now_;
    call.id = ++id_;
    builder_.add(call);
    now_ += 5;
  }

  /// The next call begins now; its operators run behind what is added before.
  void begin_next_early() { next_begin_ = now_; }

  /// An operator of no call.
  void update(const std::string& type) { add_operator(type, type, ""); }

  std::vector<std::map<std::string, analysis::Cell>> rows(const std::string& table) {
    const Analysed analysed({builder_.bytes()});
    const analysis::Table found = analysed.table(table);
    std::vector<std::map<std::string, analysis::Cell>> all;
    for (const auto& row : found.rows) {
      auto& cells = all.emplace_back();
      for (size_t i = 0; i < row.size(); ++i) cells[found.columns[i].name] = row[i];
    }
    return all;
  }

  std::vector<std::string> models() {
    std::vector<std::string> names;
    for (const auto& row : rows("A1")) names.push_back(text(row.at("model")));
    return names;
  }

 private:
  void add_operator(const std::string& name, const std::string& type, const std::string& scope) {
    SpanSpec span{.begin = now_, .end = now_ + 10, .kind = KIND_OPERATOR, .name = name, .type = type};
    span.level = scope.empty() ? LEVEL_APPLICATION : LEVEL_LAYER;
    span.scope = scope;
    span.id = ++id_;
    builder_.add(span);
    now_ += 15;
  }

  TraceBuilder builder_;
  int64_t now_ = 1000;
  std::optional<int64_t> next_begin_;
  uint32_t id_ = 0;
};

using Names = std::vector<std::string>;

TEST_CASE("a call known by its function is named by what its layers' names begin with") {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.add("Executor.forward", {{"sg_mkldnn_conv_bn_act_0", "_sg_mkldnn_conv"},
                                   {"resnetv10_pool0_fwd", "Pooling"},
                                   {"resnetv10_pool1_fwd", "Pooling"},
                                   {"_copyto", "_copyto"}});
  }
  CHECK(calls.models() == Names{"resnetv10 (forward)"});
}

TEST_CASE("calls of different scopes are of one model") {
  Calls calls;
  for (int i = 0; i < 4; ++i) calls.add("net", {{"net_fc", "FullyConnected"}});
  CHECK(calls.models() == Names{"net"});
}

TEST_CASE("layers without a word in common name nothing") {
  Calls calls;
  for (int i = 0; i < 3; ++i) calls.add("CachedOp", {{"conv0_fwd", "Convolution"}, {"dense0_fwd", "FullyConnected"}});
  CHECK(calls.models() == Names{"CachedOp"});
}

TEST_CASE("a step of training is a call, its loss, its backward call and the updates") {
  Calls calls;
  for (int i = 0; i < 4; ++i) {
    calls.add("net", {{"net_fc", "FullyConnected"}, {"net_relu", "Activation"}}, "MXNet training");
    calls.add("loss", {{"loss_pick", "pick"}}, "MXNet training");
    calls.add("backward", {{"net_fc_backward", "_backward_FullyConnected"}}, "MXNet training");
    calls.update("sgd_mom_update");
  }
  const auto models = calls.rows("A1");
  REQUIRE(models.size() == 1);
  CHECK(text(models[0].at("model")) == "net");
  CHECK(text(models[0].at("mode")) == "training");
  // From begin to the last operator's end: 5, 2 × 15, 10, 15, 10, 15, 5 for what is between the calls, and 10.
  CHECK(number(models[0].at("latency_ms")) == Approx(100e-6));
  CHECK(number(models[0].at("forward_ms")) == Approx(55e-6));
  CHECK(number(models[0].at("backward_ms")) == Approx(25e-6));
  CHECK(number(models[0].at("optimizer_ms")) == Approx(20e-6));
  CHECK(calls.rows("A2").size() == 5);
}

TEST_CASE("calls that no backward call follows are inference beside training") {
  Calls calls;
  for (int i = 0; i < 4; ++i) calls.add("net", {{"net_fc", "FullyConnected"}});
  for (int i = 0; i < 4; ++i) {
    calls.add("net", {{"net_fc", "FullyConnected"}}, "MXNet training");
    calls.add("backward", {{"net_fc_backward", "_backward_FullyConnected"}}, "MXNet training");
    calls.update("sgd_update");
  }
  Names modes;
  for (const auto& row : calls.rows("A1")) modes.push_back(text(row.at("mode")));
  CHECK(modes == Names{"inference", "training"});
}

TEST_CASE("a last step whose updates were not run is none") {
  Calls calls;
  for (int i = 0; i < 5; ++i) {
    calls.add("net", {{"net_fc", "FullyConnected"}}, "MXNet training");
    calls.add("backward", {{"net_fc_backward", "_backward_FullyConnected"}}, "MXNet training");
    if (i < 4) calls.update("adam_update");
  }
  const auto models = calls.rows("A1");
  REQUIRE(models.size() == 1);
  CHECK(number(models[0].at("n")) == 3);  // of four, the first is warm-up
}

TEST_CASE("a step that was pushed while the one before ran begins at its end, and updates belong to the one before") {
  Calls calls;
  for (int i = 0; i < 5; ++i) {
    calls.add("net", {{"net_fc", "FullyConnected"}}, "MXNet training");
    calls.add("backward", {{"net_fc_backward", "_backward_FullyConnected"}}, "MXNet training");
    calls.begin_next_early();
    calls.update("adam_update");
  }
  const auto models = calls.rows("A1");
  REQUIRE(models.size() == 1);
  CHECK(number(models[0].at("latency_ms")) <= number(models[0].at("period_ms")) * 1.01);
  CHECK(number(models[0].at("optimizer_ms")) > 0);
}

}  // namespace
}  // namespace xsp::test
