#include "bound/backends/cudnn_engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace xsp::bound::cudnn {
namespace {

constexpr int64_t kMostNotes = 32;
constexpr int64_t kMostKnobs = 64;
constexpr int64_t kMostConfigs = 256;

void read_engine(const Api& api, EngineConfig* config) {
  const std::vector<Descriptor> engines =
      descriptors_in(api, config->descriptor, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  config->engine = -1;
  if (engines.empty()) return;
  config->engine = engines[0].integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, -1);
  std::array<int, kMostNotes> notes{};
  int64_t count = 0;
  if (engines[0].get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, kMostNotes, notes.data(), &count)) {
    config->notes.assign(notes.begin(), notes.begin() + count);
  }
}

void read_knobs(const Api& api, EngineConfig* config) {
  for (const Descriptor& choice : descriptors_in(api, config->descriptor, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                 CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, kMostKnobs)) {
    int type = 0;
    if (!choice.get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type)) continue;
    config->knobs.emplace_back(type, choice.integer(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, 0));
  }
}

Status propose(const Target& target, const std::shared_ptr<const OperationGraph>& graph, HeuristicsMode mode,
               std::vector<EngineConfig>* configs) {
  Descriptor heuristics(*target.api, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set_descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph->descriptor());
  heuristics.set_enumerator(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (target.properties) heuristics.set_descriptor(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target.properties);
  if (Status status = heuristics.finalize(); !status.ok()) return status;
  for (Descriptor& descriptor : descriptors_in(*target.api, heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                               CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMostConfigs)) {
    EngineConfig config{.graph = graph, .descriptor = std::move(descriptor)};
    read_engine(*target.api, &config);
    read_knobs(*target.api, &config);
    const auto is_same = [&](const EngineConfig& known) {
      return known.engine == config.engine && known.knobs == config.knobs;
    };
    if (std::none_of(configs->begin(), configs->end(), is_same)) configs->push_back(std::move(config));
  }
  return {};
}

}  // namespace

bool EngineConfig::has(NumericalNote note) const { return std::ranges::find(notes, note) != notes.end(); }

std::string EngineConfig::name() const {
  std::string text = graph->graph().form;
  text += fmt::format("{}engine {}", text.empty() ? "" : ": ", engine);
  for (size_t i = 0; i < knobs.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? " knobs " : ",", knobs[i].first, knobs[i].second);
  }
  return text;
}

EngineNumerics numerics_of(const EngineConfig& config, bool has_single_precision) {
  // Tensor cores take no f32: its mantissa is cut to the 10 bits of TF32, or it is converted to a type of 16 bits.
  if (config.has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)) return {Numerics::kReduced, "16-bit inputs"};
  if (has_single_precision && config.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE)) return {Numerics::kReduced, "tf32"};
  if (config.has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) return {Numerics::kReduced, "reduced sums"};
  const bool is_transformed = config.has(CUDNN_NUMERICAL_NOTE_FFT) || config.has(CUDNN_NUMERICAL_NOTE_WINOGRAD);
  return {is_transformed ? Numerics::kTransform : Numerics::kExact, ""};
}

Status propose_engines(const Target& target, std::shared_ptr<const OperationGraph> graph,
                       std::vector<EngineConfig>* configs) {
  Status status = propose(target, graph, CUDNN_HEUR_MODE_A, configs);
  const Status fallback = propose(target, graph, CUDNN_HEUR_MODE_FALLBACK, configs);
  if (!configs->empty()) return {};
  if (status.ok()) status = fallback;
  return status.ok() ? Status{"cuDNN has no engine for it", ""} : status;
}

Status make_plan(const Target& target, const EngineConfig& config, ExecutionPlan* plan) {
  Descriptor descriptor(*target.api, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  descriptor.set_descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config.descriptor);
  if (target.handle != nullptr) {
    descriptor.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &target.handle);
  } else if (target.properties) {
    descriptor.set_descriptor(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *target.properties);
  }
  if (Status status = descriptor.finalize(); !status.ok()) return status;
  plan->workspace_bytes =
      static_cast<uint64_t>(std::max<int64_t>(descriptor.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 0), 0));
  plan->descriptor = std::move(descriptor);
  return {};
}

}  // namespace xsp::bound::cudnn
