#include "test/analysis/support/leveled_runs.h"

namespace xsp::test {
namespace {

constexpr int64_t kUs = 1000;

}  // namespace

RunSet& RunSet::add(const std::string& level, const std::vector<EvaluationCosts>& evaluations, uint32_t repetition) {
  TraceBuilder builder;
  builder.add_process(100 + static_cast<uint32_t>(traces.size()));
  builder.describe_run(static_cast<uint32_t>(traces.size()) + 1, level, repetition);
  const auto run = static_cast<int64_t>(traces.size());
  id_ = 0;
  for (size_t i = 0; i < evaluations.size(); ++i) {
    add_evaluation(run * 1'000'000 + static_cast<int64_t>(i) * 10'000, evaluations[i], &builder);
  }
  traces.push_back(builder.bytes());
  return *this;
}

RunSet& RunSet::add(const std::string& level, size_t times, const EvaluationCosts& evaluation, uint32_t repetition) {
  std::vector<EvaluationCosts> evaluations(times + 1, evaluation);
  evaluations.front().model_us += 5000;
  return add(level, evaluations, repetition);
}

void RunSet::add_evaluation(int64_t at_us, const EvaluationCosts& costs, TraceBuilder* builder) {
  const uint32_t root = ++id_;
  std::vector<ExecutionSpec> executions;
  int64_t now = at_us + 10;
  for (const LayerCosts& costs_of : costs.layers) {
    SpanSpec layer{.begin = now * kUs, .end = (now + costs_of.us) * kUs, .id = ++id_, .parent = root};
    layer.kind = KIND_ORT_NODE;
    layer.name = costs_of.name;
    layer.type = "Conv";
    SpanSpec call{.begin = (now + 1) * kUs, .end = (now + 1 + costs_of.call_us) * kUs, .id = ++id_};
    call.parent = layer.id;
    call.level = LEVEL_LIBRARY;
    call.kind = KIND_LIBRARY_CALL;
    call.name = "cudnnConvolutionForward";
    call.type = "cudnn";
    if (costs_of.kernel_us != 0) {
      SpanSpec launch{.begin = (now + 1) * kUs, .end = (now + 2) * kUs, .id = ++id_};
      launch.parent = costs_of.call_us == 0 ? layer.id : call.id;
      launch.level = LEVEL_RUNTIME;
      launch.kind = KIND_RUNTIME_CALL;
      launch.name = "cudaLaunchKernel";
      builder->add(launch);
      ExecutionSpec kernel{.begin = (now + 2) * kUs, .end = (now + 2 + costs_of.kernel_us) * kUs};
      kernel.name = "kernel_of_" + costs_of.name;
      kernel.launch = launch.id;
      executions.push_back(kernel);
    }
    if (costs_of.call_us != 0) builder->add(call);
    builder->add(layer);
    now += costs_of.us;
  }
  SpanSpec model{.begin = at_us * kUs, .end = (at_us + costs.model_us) * kUs, .id = root, .level = LEVEL_MODEL};
  model.kind = KIND_ORT_RUN;
  model.name = "resnet";
  model.input = "[8,3]";
  model.scope = costs.instance;
  model.bytes = 1'000'000;
  model.layout = "cpu_live:u8 cpu_peak:u8";
  model.values = std::string(16, '\1');
  builder->add(model);
  if (!executions.empty()) builder->add_executions(executions);
}

RunSet four_levels() {
  RunSet set;
  set.add("model", 4, {1000, {}});
  set.add("layer", 4, {1300, {{"conv", 400}, {"relu", 500}}});
  set.add("library", 4, {1500, {{"conv", 450, 100}, {"relu", 620, 200}}});
  set.add("kernel", 4, {2100, {{"conv", 600, 150, 90}, {"relu", 700, 260, 80}}});
  return set;
}

}  // namespace xsp::test
