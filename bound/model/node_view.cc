#include "bound/model/node_view.h"

#include <algorithm>

namespace xsp::bound {
namespace {

std::vector<const ValueFacts*> facts_of(const std::vector<std::string>& names, const GraphFacts& facts) {
  static const ValueFacts kNothingKnown;
  std::vector<const ValueFacts*> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    if (name.empty()) {
      found.push_back(nullptr);
      continue;
    }
    const auto at = facts.find(name);
    found.push_back(at == facts.end() ? &kNothingKnown : &at->second);
  }
  return found;
}

}  // namespace

NodeView::NodeView(const Node& node, int64_t opset, const GraphFacts& facts, std::vector<bool> is_used)
    : node_(&node),
      opset_(opset),
      inputs_(facts_of(node.inputs, facts)),
      outputs_(facts_of(node.outputs, facts)),
      is_used_(std::move(is_used)) {}

std::string NodeView::type() const { return node_->domain.empty() ? node_->type : node_->domain + "." + node_->type; }

bool NodeView::have_one_type(const std::vector<size_t>& inputs) const {
  return output(0) != nullptr && std::ranges::all_of(inputs, [this](size_t index) {
           return has_shape(index) && input(index)->element == output(0)->element;
         });
}

std::optional<std::vector<int64_t>> NodeView::integers(size_t index) const {
  return input(index) == nullptr ? std::nullopt : input(index)->integers;
}

std::optional<double> NodeView::number(size_t index) const {
  const ValueFacts* facts = input(index);
  if (facts == nullptr) return {};
  if (facts->numbers && facts->numbers->size() == 1) return facts->numbers->front();
  if (facts->integers && facts->integers->size() == 1) return static_cast<double>(facts->integers->front());
  return {};
}

}  // namespace xsp::bound
