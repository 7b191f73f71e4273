#include "bound/onnx/graph.h"

#include <algorithm>

namespace xsp::bound {

const Attribute* Node::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

int64_t Node::integer(std::string_view wanted, int64_t otherwise) const {
  const Attribute* const found = attribute(wanted);
  return found != nullptr && found->kind == Attribute::Kind::kInteger ? found->integer : otherwise;
}

double Node::number(std::string_view wanted, double otherwise) const {
  const Attribute* const found = attribute(wanted);
  return found != nullptr && found->kind == Attribute::Kind::kNumber ? found->number : otherwise;
}

std::string Node::text(std::string_view wanted, std::string_view otherwise) const {
  const Attribute* const found = attribute(wanted);
  return found != nullptr && found->kind == Attribute::Kind::kText ? found->text : std::string(otherwise);
}

std::vector<int64_t> Node::integers(std::string_view wanted) const {
  const Attribute* const found = attribute(wanted);
  return found != nullptr && found->kind == Attribute::Kind::kIntegers ? found->integers : std::vector<int64_t>{};
}

int64_t Model::opset(std::string_view domain) const {
  const auto found = opsets.find(domain == "ai.onnx" ? "" : std::string(domain));
  return found == opsets.end() ? 0 : found->second;
}

}  // namespace xsp::bound
