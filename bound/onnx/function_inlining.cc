#include "bound/onnx/function_inlining.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bound/onnx/model_file.h"
#include "bound/onnx/node_text.h"
#include "bound/onnx/reading.h"

namespace xsp::bound {
namespace {

/// Names of values that no two of them share.
class UniqueNames {
 public:
  void add(const Graph& graph) {
    for (const ConstantTensor& tensor : graph.initializers) used_.insert(tensor.name);
    for (const DeclaredValue& value : graph.inputs) used_.insert(value.name);
    for (const Node& node : graph.nodes) {
      used_.insert(node.outputs.begin(), node.outputs.end());
      for (const Attribute& attribute : node.attributes) {
        for (const Graph& inner : attribute.graphs) add(inner);
      }
    }
  }

  std::string make(const std::string& wanted) {
    if (used_.insert(wanted).second) return wanted;
    for (size_t& count = copies_[wanted];;) {
      std::string name = fmt::format("{}_{}", wanted, ++count + 1);
      if (used_.insert(name).second) return name;
    }
  }

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, size_t> copies_;
};

/// A call whose function is being put in its place.
struct Call {
  const Node& node;
  const Function& function;
  std::string name;
  std::unordered_map<std::string, std::string> values;  // by their names in the function
};

std::string name_of_call(const Node& node) {
  if (!node.name.empty()) return node.name;
  const auto output = std::ranges::find_if(node.outputs, [](const std::string& name) { return !name.empty(); });
  return output == node.outputs.end() ? node.type : *output;
}

class FunctionInlining {
 public:
  FunctionInlining(ModelBudget& budget, Model& model) : reading_(budget), model_(model) {
    for (const Function& function : model.functions) {
      if (function.domain.empty() || function.domain == "com.microsoft") continue;
      functions_.try_emplace(Key(function.domain, function.name, function.overload), &function);
    }
  }

  Status run() {
    if (!functions_.empty()) {
      names_.add(model_.graph);
      reading_.budget.give_back_nodes();
      if (place_graph(model_.graph, 0)) add_opsets();
    }
    model_.functions.clear();
    return std::move(reading_.status);
  }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

  const Function* function_of(const Node& node) const {
    const auto found = functions_.find(Key(node.domain, node.type, node.overload));
    return found == functions_.end() ? nullptr : found->second;
  }

  bool fail_too_deep() {
    return reading_.fail(fmt::format("functions and graphs are nested more than {} deep", kMostNesting), kHintTooLarge);
  }

  bool place_graph(Graph& graph, size_t nesting) {
    if (nesting > kMostNesting) return fail_too_deep();
    std::vector<Node> placed;
    placed.reserve(graph.nodes.size());
    for (Node& node : graph.nodes) {
      if (!place(std::move(node), nesting, &placed)) return false;
    }
    graph.nodes = std::move(placed);
    return true;
  }

  /// The node, or what its function consists of.
  bool place(Node node, size_t nesting, std::vector<Node>* placed) {
    for (Attribute& attribute : node.attributes) {
      for (Graph& graph : attribute.graphs) {
        if (!place_graph(graph, nesting + 1)) return false;
      }
    }
    if (const Function* const function = function_of(node)) return place_function(node, *function, nesting + 1, placed);
    if (!reading_.budget.take_node()) return reading_.fail_excess();
    placed->push_back(std::move(node));
    return true;
  }

  bool place_function(const Node& node, const Function& function, size_t nesting, std::vector<Node>* placed) {
    if (std::ranges::find(open_, &function) != open_.end()) {
      return reading_.fail("function " + name_text(function.name) + " calls itself", kHintDamaged);
    }
    if (nesting > kMostNesting) return fail_too_deep();
    if (++calls_ > kMostNodes)
      return reading_.fail("its functions are called more than 1,000,000 times", kHintTooLarge);
    if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
      return reading_.fail(node_text(node) + " has more inputs or outputs than its function", kHintDamaged);
    }
    open_.push_back(&function);
    Call call{node, function, name_of_call(node), {}};
    for (size_t i = 0; i < function.inputs.size(); ++i) {
      call.values.try_emplace(function.inputs[i], i < node.inputs.size() ? node.inputs[i] : std::string());
    }
    std::vector<size_t> passed_on;  // outputs that no node of the function writes under this name alone
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (!call.values.try_emplace(function.outputs[i], node.outputs[i]).second) passed_on.push_back(i);
    }
    bool good = true;
    for (size_t i = 0; good && i < function.nodes.size(); ++i) {
      Node inner;
      good = copy_node(function.nodes[i], call, &inner) && place(std::move(inner), nesting, placed);
    }
    for (size_t i = 0; good && i < passed_on.size(); ++i) {
      Node identity{.name = node.name, .type = "Identity"};
      identity.inputs.push_back(call.values.at(function.outputs[passed_on[i]]));
      identity.outputs.push_back(node.outputs[passed_on[i]]);
      good = (reading_.budget.take_node() && reading_.budget.take_copy(identity)) || reading_.fail_excess();
      placed->push_back(std::move(identity));
    }
    open_.pop_back();
    return good;
  }

  bool rename(Call& call, std::string* name) {
    if (name->empty()) return true;
    const auto known = call.values.find(*name);
    if (known != call.values.end()) {
      if (!reading_.budget.take_bytes(known->second.size())) return reading_.fail_excess();
      *name = known->second;
      return true;
    }
    // Three times: here, among the call's values, among the unique names.
    if (!reading_.budget.take_bytes(3 * (call.name.size() + name->size()))) return reading_.fail_excess();
    std::string renamed = names_.make(call.name + "/" + *name);
    call.values.emplace(std::move(*name), renamed);
    *name = std::move(renamed);
    return true;
  }

  /// A node of the function as the call means it.
  bool copy_node(const Node& node, Call& call, Node* copy) {
    if (!reading_.budget.take_copy(node)) return reading_.fail_excess();
    *copy = {.name = node.name,
             .type = node.type,
             .domain = node.domain,
             .inputs = node.inputs,
             .outputs = node.outputs,
             .attributes = {},
             .overload = node.overload};
    if (!copy->name.empty()) {
      if (!reading_.budget.take_bytes(call.name.size())) return reading_.fail_excess();
      copy->name.insert(0, call.name + "/");
    }
    for (std::string& name : copy->inputs) {
      if (!rename(call, &name)) return false;
    }
    for (std::string& name : copy->outputs) {
      if (!rename(call, &name)) return false;
    }
    for (const Attribute& attribute : node.attributes) {
      if (!copy_attribute(attribute, call, &copy->attributes)) return false;
    }
    return true;
  }

  /// What a reference names comes from the call and is in its names already; else from the defaults, or is left out.
  bool copy_attribute(const Attribute& attribute, Call& call, std::vector<Attribute>* copies) {
    const Attribute* source = &attribute;
    if (!attribute.reference.empty()) {
      source = call.node.attribute(attribute.reference);
      if (source == nullptr) {
        const auto found = std::ranges::find(call.function.defaults, attribute.reference, &Attribute::name);
        if (found == call.function.defaults.end()) return true;
        source = &*found;
      }
    }
    if (source != &attribute) {
      if (!reading_.budget.take_copy(*source)) return reading_.fail_excess();
      copies->push_back(*source);
      copies->back().name = attribute.name;
      return true;
    }
    if (attribute.graphs.empty()) {
      if (!reading_.budget.take_copy(attribute)) return reading_.fail_excess();
      copies->push_back(attribute);
      return true;
    }
    Attribute& copy = copies->emplace_back();
    copy.name = attribute.name;
    copy.kind = attribute.kind;
    return copy_graph(attribute.graphs.front(), call, &copy.graphs.emplace_back());
  }

  bool copy_graph(const Graph& graph, Call& call, Graph* copy) {
    copy->name = graph.name;
    copy->initializers = graph.initializers;
    copy->inputs = graph.inputs;
    copy->outputs = graph.outputs;
    if (!reading_.budget.take_copy(*copy)) return reading_.fail_excess();
    for (ConstantTensor& tensor : copy->initializers) {
      if (!rename(call, &tensor.name)) return false;
    }
    for (DeclaredValue& value : copy->inputs) {
      if (!rename(call, &value.name)) return false;
    }
    for (DeclaredValue& value : copy->outputs) {
      if (!rename(call, &value.name)) return false;
    }
    copy->nodes.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
      if (!copy_node(node, call, &copy->nodes.emplace_back())) return false;
    }
    return true;
  }

  /// The versions that functions were written for, where the model itself does not use the domain.
  void add_opsets() {
    for (const Function& function : model_.functions) {
      for (const auto& [domain, version] : function.opsets) model_.opsets.try_emplace(domain, version);
    }
  }

  Reading reading_;
  Model& model_;
  std::map<Key, const Function*> functions_;
  UniqueNames names_;
  std::vector<const Function*> open_;
  size_t calls_ = 0;
};

}  // namespace

Status inline_functions(ModelBudget& budget, Model* model) { return FunctionInlining(budget, *model).run(); }

}  // namespace xsp::bound
