#include "bound/shapes/input_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "bound/onnx/exit_code.h"
#include "bound/onnx/node_text.h"
#include "bound/shapes/operator_call.h"
#include "bound/shapes/shape_limits.h"

namespace xsp::bound {
namespace {

constexpr int kUsage = 2;

/// Of an open dimension, in an example.
constexpr int64_t kSomeSize = 128;

/// An input while sizes are found for its dimensions; -1 for one that is open.
struct OpenInput {
  const DeclaredValue* declared;
  bool has_rank;
  Dimensions sizes;
};

/// An option that gives an input a shape: "--shape x=1,3,128,128".
std::string option_for(const OpenInput& input) {
  std::vector<std::string> words;
  for (size_t i = 0; i < input.sizes.size(); ++i) {
    words.push_back(fmt::format("{}", input.sizes[i] >= 0 ? input.sizes[i] : kSomeSize));
  }
  return fmt::format("--shape {}={}", name_text(input.declared->name), fmt::join(words, ","));
}

class InputBinder {
 public:
  explicit InputBinder(std::vector<OpenInput> inputs) : inputs_(std::move(inputs)) {}

  /// --shape of one input, which must be among these.
  Status take_shape(const std::string& name, const Dimensions& shape) {
    const auto found = std::ranges::find(
        inputs_, name, [](const OpenInput& input) -> const auto& { return input.declared->name; });
    if (found == inputs_.end()) {
      return {fmt::format("--shape is for \"{}\", which is no input of the model", name_text(name)),
              fmt::format("its inputs are {}", names_of_inputs()), kUsage};
    }
    const DeclaredValue& declared = *found->declared;
    const Status contradiction = {
        fmt::format("--shape gives input \"{}\" {}, the model has {}", name_text(name), text_of(shape),
                    text_of(found->sizes)),
        "-1 is a dimension that is open; the others are fixed: export the model with open ones to change them", kUsage};
    if (declared.has_rank && shape.size() != declared.dimensions.size()) return contradiction;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] < 0)
        return {fmt::format("--shape gives input \"{}\" a size of {}", name_text(name), shape[i]), "", kUsage};
      if (!declared.has_rank) continue;
      const Dimension& dimension = declared.dimensions[i];
      if (dimension.size >= 0 && dimension.size != shape[i]) return contradiction;
      if (dimension.name.empty()) continue;
      const auto [named, is_new] = by_name_.emplace(dimension.name, shape[i]);
      if (!is_new && named->second != shape[i])
        return {fmt::format("--shape gives dimension \"{}\" both {} and {}", name_text(dimension.name), named->second,
                            shape[i]),
                "", kUsage};
    }
    found->sizes = shape;
    found->has_rank = true;
    return {};
  }

  /// Shapes of a trace, by position: what is still open, its name too, takes the size that it had there.
  void take_traced(const std::vector<Dimensions>& shapes, std::vector<std::string>* notes) {
    for (size_t i = 0; i < std::min(shapes.size(), inputs_.size()); ++i) {
      OpenInput& input = inputs_[i];
      if (!input.declared->is_tensor || !can_be(input, shapes[i])) continue;
      if (!input.has_rank) {
        input.sizes.assign(shapes[i].size(), -1);
        input.has_rank = true;
      }
      bool is_taken = false;
      for (size_t axis = 0; axis < input.sizes.size(); ++axis) {
        if (input.sizes[axis] >= 0) continue;
        const std::string name = name_of(input, axis);
        if (!name.empty() && !by_name_.emplace(name, shapes[i][axis]).second) continue;
        input.sizes[axis] = shapes[i][axis];
        is_taken = true;
      }
      if (is_taken) {
        notes->push_back(fmt::format("open dimensions of input {} taken from the trace, which ran it as {}",
                                     name_text(input.declared->name), text_of(shapes[i])));
      }
    }
  }

  /// Gives names their sizes, then each open first dimension the batch.
  Status take_batch(std::optional<int64_t> batch, std::vector<std::string>* notes) {
    bool is_used = false;
    for (OpenInput& input : inputs_) {
      if (input.sizes.empty() || input.sizes[0] >= 0) continue;
      const std::string name = name_of(input, 0);
      if (by_name_.contains(name)) {
        is_used = true;
        continue;
      }
      input.sizes[0] = batch.value_or(1);
      if (!name.empty()) by_name_.emplace(name, input.sizes[0]);
      is_used = true;
      if (!batch)
        notes->push_back(fmt::format("first dimension of input {}{} taken as 1", name_text(input.declared->name),
                                     name.empty() ? "" : fmt::format(" ({})", name_text(name))));
    }
    if (!batch || is_used) return {};
    return {fmt::format("--batch {} would change nothing: no input has an open first dimension", *batch),
            "export the model with an open batch, or leave --batch away", kUsage};
  }

  Status finish(GraphFacts* facts) {
    for (OpenInput& input : inputs_) {
      ValueFacts& made = (*facts)[input.declared->name];
      made.element = input.declared->element;
      if (!input.declared->is_tensor) {
        made.why = fmt::format("input \"{}\" is no tensor", name_text(input.declared->name));
        continue;
      }
      Status status = close(&input);
      if (!status.ok()) return status;
      if (const std::string problem = shape_problem(input.sizes); !problem.empty())
        return {fmt::format("input \"{}\" {} has {}", name_text(input.declared->name), text_of(input.sizes), problem),
                "", kExitBadModel};
      made.has_shape = true;
      made.dimensions = std::move(input.sizes);
    }
    return {};
  }

 private:
  std::string names_of_inputs() const {
    constexpr size_t kMostNames = 8;
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(inputs_.size(), kMostNames); ++i)
      names.push_back(name_text(inputs_[i].declared->name));
    return fmt::format("{}{}", fmt::join(names, ", "), inputs_.size() > kMostNames ? ", …" : "");
  }

  /// Of a dimension; empty where it has none, or the model does not say the input's rank.
  static std::string name_of(const OpenInput& input, size_t axis) {
    const auto& dimensions = input.declared->dimensions;
    return axis < dimensions.size() ? dimensions[axis].name : std::string();
  }

  /// Whether an input can have a shape by what the model says of it.
  static bool can_be(const OpenInput& input, const Dimensions& shape) {
    if (std::ranges::any_of(shape, [](int64_t size) { return size <= 0; })) return false;
    if (!input.has_rank) return !shape.empty();
    if (shape.size() != input.sizes.size()) return false;
    const auto& declared = input.declared->dimensions;
    for (size_t axis = 0; axis < declared.size(); ++axis)
      if (declared[axis].size >= 0 && declared[axis].size != shape[axis]) return false;
    return true;
  }

  /// Every dimension of one input has a size then, or it is an error.
  Status close(OpenInput* input) const {
    const DeclaredValue& declared = *input->declared;
    if (!input->has_rank)
      return {fmt::format("the model does not say how many dimensions input \"{}\" has", name_text(declared.name)),
              fmt::format("--shape {}=SIZE,… gives it a shape", name_text(declared.name)), kUsage};
    for (size_t i = 0; i < input->sizes.size(); ++i) {
      if (input->sizes[i] >= 0) continue;
      const std::string name = name_of(*input, i);
      if (const auto named = by_name_.find(name); !name.empty() && named != by_name_.end())
        input->sizes[i] = named->second;
    }
    for (size_t i = 0; i < input->sizes.size(); ++i) {
      if (input->sizes[i] >= 0) continue;
      const std::string name = name_of(*input, i);
      return {fmt::format("dimension {}{} of input \"{}\" is open", i,
                          name.empty() ? "" : fmt::format(" (\"{}\")", name_text(name)), name_text(declared.name)),
              fmt::format("give it a size, for example {}; a name has one size in all inputs", option_for(*input)),
              kUsage};
    }
    return {};
  }

  std::vector<OpenInput> inputs_;
  std::unordered_map<std::string, int64_t> by_name_;
};

}  // namespace

Status bind_inputs(const Graph& graph, const ShapeBindings& bindings, GraphFacts* facts,
                   std::vector<std::string>* notes) {
  std::unordered_set<std::string> weights;
  for (const ConstantTensor& tensor : graph.initializers) weights.insert(tensor.name);
  std::vector<OpenInput> inputs;
  for (const DeclaredValue& declared : graph.inputs) {
    if (weights.contains(declared.name)) continue;
    Dimensions sizes;
    for (const Dimension& dimension : declared.dimensions) sizes.push_back(dimension.size);
    inputs.push_back({&declared, declared.has_rank, std::move(sizes)});
  }
  if (bindings.batch && *bindings.batch < 1) return {"--batch must be at least 1", "", kUsage};
  InputBinder binder(std::move(inputs));
  for (const auto& [name, shape] : bindings.input_shapes)
    if (Status status = binder.take_shape(name, shape); !status.ok()) return status;
  // What the user says of the batch counts before what a trace tells, and that before the usual 1.
  if (!bindings.batch) binder.take_traced(bindings.traced_shapes, notes);
  if (Status status = binder.take_batch(bindings.batch, notes); !status.ok()) return status;
  if (bindings.batch) binder.take_traced(bindings.traced_shapes, notes);
  return binder.finish(facts);
}

}  // namespace xsp::bound
