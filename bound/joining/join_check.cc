#include "bound/joining/join_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/joining/tensor_shapes.h"
#include "bound/model/model_source.h"
#include "bound/onnx/exit_code.h"

namespace xsp::bound {
namespace {

using Shape = std::vector<int64_t>;

struct ModelInput {
  const DeclaredValue* declared;
  Shape shape;
};

std::vector<ModelInput> inputs_of(const LayeredModel& model) {
  std::vector<ModelInput> inputs;
  if (model.source == nullptr) return inputs;
  const Graph& graph = model.source->model.graph;
  std::unordered_set<std::string_view> weights;
  for (const ConstantTensor& tensor : graph.initializers) weights.insert(tensor.name);
  for (const DeclaredValue& declared : graph.inputs) {
    const auto facts = model.source->facts.find(declared.name);
    if (weights.contains(declared.name) || facts == model.source->facts.end()) continue;
    inputs.push_back({&declared, facts->second.has_shape ? facts->second.dimensions : Shape()});
  }
  return inputs;
}

bool is_open(const ModelInput& input) {
  return !input.declared->has_rank ||
         (!input.declared->dimensions.empty() && input.declared->dimensions.front().size < 0);
}

/// How much of something joined.
struct Share {
  size_t joined = 0;
  size_t all = 0;

  void add(bool is_joined) {
    joined += is_joined ? 1 : 0;
    ++all;
  }
};

struct Shares {
  Share modelled, traced;
};

Shares shares_of(const JoinSubject& subject, const JoinedTrace& joined, bool heavy_only) {
  Shares shares;
  for (size_t i = 0; i < subject.modelled.size(); ++i) {
    const ModelledEvidence& evidence = subject.modelled[i];
    if (!evidence.has_work || (heavy_only && !is_heavy(evidence.family.name))) continue;
    shares.modelled.add(joined.trace_layer_of[i] != kNoLayer);
  }
  for (size_t i = 0; i < subject.traced.size(); ++i) {
    const std::string_view family = subject.traced[i].family.name;
    if (is_light(family) || (heavy_only && !is_heavy(family))) continue;
    shares.traced.add(!joined.layers[i].layers.empty());
  }
  return shares;
}

/// Types of layers that a reader knows a model by, most frequent first: "Conv2d (53), Linear (1)".
std::string counted_types(const JoinedTrace& joined) {
  std::vector<std::pair<std::string, size_t>> types;
  for (const TraceLayer& layer : joined.layers) {
    const auto found = std::ranges::find(
        types, layer.type, [](const auto& type) -> const auto& { return type.first; });
    if (found == types.end()) {
      if (types.size() < 100) types.emplace_back(layer.type, 1);
    } else {
      ++found->second;
    }
  }
  std::ranges::stable_sort(types, std::greater<>(), [](const auto& type) { return type.second; });
  std::string text;
  constexpr size_t kMost = 4;
  for (size_t i = 0; i < std::min(types.size(), kMost); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", message_text(types[i].first), types[i].second);
  return text;
}

std::string path_of(const JoinedTrace& joined) { return joined.path.empty() ? "the trace" : joined.path; }

/// The model ran with another batch than it is bound to.
std::optional<Status> other_batch(const JoinSubject& subject, const JoinedTrace& joined,
                                  const std::vector<Shape>& traced) {
  const std::vector<ModelInput> inputs = inputs_of(*subject.model);
  for (size_t i = 0; i < std::min(inputs.size(), traced.size()); ++i) {
    if (!differ_in_batch(traced[i], inputs[i].shape)) continue;
    const std::string hint =
        is_open(inputs[i])
            ? fmt::format(
                  "--batch {} gives the model the trace's batch; without --batch and --shape it takes that itself",
                  traced[i][0])
            : fmt::format(
                  "the model's batch is fixed: export it with an open one and give --batch {}, or record one "
                  "of {}",
                  traced[i][0], inputs[i].shape[0]);
    return Status{fmt::format("{} has a batch of {} (input {}), the model one of {} ({})", path_of(joined),
                              traced[i][0], shape_text(traced[i]), inputs[i].shape[0], shape_text(inputs[i].shape)),
                  hint, kExitBadModel};
  }
  return {};
}

/// The same where the trace does not tell its inputs: its first heavy layer has another batch than the model's.
std::optional<Status> other_batch_of_layers(const JoinSubject& subject, const JoinedTrace& joined) {
  const auto modelled = std::ranges::find_if(subject.modelled, [](const ModelledEvidence& evidence) {
    return evidence.has_work && is_heavy(evidence.family.name);
  });
  const auto traced = std::ranges::find_if(
      subject.traced, [](const TracedEvidence& evidence) { return is_heavy(evidence.family.name); });
  if (modelled == subject.modelled.end() || traced == subject.traced.end()) return {};
  if (modelled->family.name != traced->family.name || !differ_in_batch(traced->shape, modelled->shape)) return {};
  return Status{fmt::format("{} has a batch of {}, the model one of {}: their first layers with much work write {} and "
                            "{}",
                            path_of(joined), traced->shape[0], modelled->shape[0], shape_text(traced->shape),
                            shape_text(modelled->shape)),
                fmt::format("--batch {} binds the model to it", traced->shape[0]), kExitBadModel};
}

std::string inputs_text(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape_text(shape);
  return text;
}

}  // namespace

Status check_join(const JoinSubject& subject, const JoinedTrace& joined, const std::vector<Shape>& traced_inputs) {
  if (joined.layers.empty()) return {};
  if (auto status = other_batch(subject, joined, traced_inputs)) return *status;
  Shares shares = shares_of(subject, joined, true);
  const bool is_of_heavy = shares.modelled.all != 0 && shares.traced.all != 0;
  if (!is_of_heavy) shares = shares_of(subject, joined, false);
  const auto& [modelled, traced] = shares;
  if (2 * modelled.joined >= modelled.all && 3 * traced.joined >= 2 * traced.all) return {};
  if (auto status = other_batch_of_layers(subject, joined)) return *status;

  std::vector<Shape> own;
  for (const ModelInput& input : inputs_of(*subject.model)) own.push_back(input.shape);
  const bool has_other_inputs = !traced_inputs.empty() && !own.empty() && traced_inputs.front() != own.front();
  const std::string what = is_of_heavy ? "convolutions, products and recurrent layers" : "layers";
  return {
      fmt::format("{} seems to be of another model than {}: {} of the model's {} {} were found in it, and {} of its "
                  "{} in the model",
                  path_of(joined), message_text(subject.model->name), modelled.joined, modelled.all, what,
                  traced.joined, traced.all),
      has_other_inputs
          ? fmt::format("the trace ran inputs {}, the model has {}: --batch and --shape bind open "
                        "dimensions",
                        inputs_text(traced_inputs), inputs_text(own))
          : fmt::format("the trace is of {}, whose layers are {}; --trace-model NAME chooses another model in it",
                        message_text(joined.subject), counted_types(joined)),
      kExitBadModel};
}

}  // namespace xsp::bound
