#include "bound/cli/bound_inputs.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/quantity_text.h"
#include "bound/advice/implementation_choice.h"
#include "bound/advice/what_if.h"
#include "bound/bounds/bounds.h"
#include "bound/cli/bound_messages.h"
#include "bound/fusion/fused_groups.h"
#include "bound/joining/trace_calls.h"
#include "bound/joining/trace_facts.h"
#include "bound/joining/trace_join.h"
#include "bound/model/layered_model.h"

namespace xsp::bound {
namespace {

/// Work items with each problem once.
class ItemList {
 public:
  void add(WorkItem item) {
    const auto [place, is_new] = known_.try_emplace(item.problem, items_.size());
    if (is_new) {
      items_.push_back(std::move(item));
    } else if (items_[place->second].model.empty()) {
      items_[place->second].model = std::move(item.model);
    }
  }
  void add(std::vector<WorkItem> items) {
    for (WorkItem& item : items) add(std::move(item));
  }
  std::vector<WorkItem> take() { return std::move(items_); }

 private:
  std::vector<WorkItem> items_;
  std::unordered_map<std::string, size_t> known_;
};

WorkItem item_of(const LayeredModel& model, const UniqueLayer& unique) {
  const Layer& layer = model.layers[unique.first];
  return {.problem = unique.problem,
          .model = unique.model,
          .flops = layer.flops.value_or(0),
          .bytes = layer.bytes.value_or(0),
          .of = fmt::format("{}: {}, {}", model.name, layer.type, plural(unique.layers, "layer"))};
}

WorkItem item_of(const LayeredModel& model, const FusedGroup& group) {
  return {.problem = group.problem,
          .model = group.model,
          .flops = group.flops.value_or(0),
          .bytes = group.bytes.value_or(0),
          .of = fmt::format("{}: {}", model.name, group.pattern)};
}

/// Models of one name, from different folders, are called by their paths.
void name_apart(std::deque<ModelInput>* models) {
  std::unordered_map<std::string, size_t> count;
  for (const ModelInput& input : *models) ++count[input.model.name];
  for (ModelInput& input : *models) {
    if (count[input.model.name] > 1) input.model.name = input.model.path;
  }
}

Status read_model_input(const BoundOptions& options, const std::string& path, const ShapeBindings& shapes,
                        ModelInput* input) {
  Status status = take_apart(path, shapes, &input->model);
  if (!status.ok()) {
    if (status.exit_code == 0) status.exit_code = kBadInput;
    // Errors of the graph itself do not know the file.
    if (status.error.find(path) == std::string::npos) status.error = path + ": " + status.error;
    if (options.shapes.batch || !options.shapes.input_shapes.empty()) {
      return with_hint(status, "is it what --shape and --batch say?");
    }
    return with_hint(status, "such a model runs nowhere: export it again; ONNX's checker may say more");
  }
  if (options.times.empty()) input->groups = find_fusions(input->model);
  return {};
}

}  // namespace

Status read_inputs(const BoundOptions& options, BoundInputs* inputs) {
  ShapeBindings shapes = options.shapes;
  inputs->has_trace = !options.trace.empty();
  if (inputs->has_trace) {
    if (Status status = read_trace({options.trace}, options.trace_model, &inputs->trace); !status.ok()) return status;
    shapes.traced_shapes = input_shapes_of(inputs->trace);
  }
  for (const std::string& path : options.models) {
    Status status = read_model_input(options, path, shapes, &inputs->models.emplace_back());
    if (!status.ok()) return status;
  }
  if (options.models.empty() && inputs->has_trace) inputs->models.emplace_back();
  name_apart(&inputs->models);
  if (!inputs->has_trace) return {};
  for (ModelInput& input : inputs->models) {
    if (options.models.empty()) {
      input.trace = facts_of(inputs->trace);
      add_calls(inputs->trace, &input.trace);
      input.model.name = input.trace.subject;
    } else {
      Status status = join_trace(inputs->trace, input.model, input.groups, &input.trace);
      if (!status.ok()) return status;
    }
    input.trace.path = options.trace;
  }
  return {};
}

std::vector<WorkItem> work_items(const BoundOptions& options, const BoundInputs& inputs, const std::string& isa) {
  ItemList items;
  for (const ModelInput& input : inputs.models) {
    const LayeredModel& model = input.model;
    for (const UniqueLayer& unique : model.unique) {
      if (has_work(model.layers[unique.first].layer_class)) items.add(item_of(model, unique));
    }
    for (const FusedGroup& group : input.groups) items.add(item_of(model, group));
    if (inputs.has_trace) items.add(call_items(input.trace));
    if (options.dtypes.empty()) continue;
    const Bounds bounds =
        make_bounds(model, {}, {.groups = input.groups, .trace = inputs.has_trace ? &input.trace : nullptr});
    for (const std::string& dtype : options.dtypes) items.add(precision_items(bounds, dtype, isa));
  }
  return items.take();
}

}  // namespace xsp::bound
