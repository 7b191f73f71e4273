#include "bound/shapes/operator_table.h"

#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace xsp::bound {
namespace {

std::string key_of(std::string_view domain, std::string_view type) {
  std::string key(domain);
  key += '\n';
  key += type;
  return key;
}

std::unordered_map<std::string, const OperatorRule*> make_table() {
  std::unordered_map<std::string, const OperatorRule*> table;
  table.reserve(512);
  for (const auto family :
       {elementwise_rules, convolution_rules, pooling_rules, product_rules, attention_rules, reshaping_rules,
        selection_rules, joining_rules, resize_rules, creation_rules, reduction_rules, normalization_rules,
        recurrent_rules, quantization_rules, signal_rules, learning_rules, data_dependent_rules})
    for (const OperatorRule& rule : family()) table.emplace(key_of(rule.domain, rule.type), &rule);
  return table;
}

/// Nothing where the alternative is not there.
std::optional<ElementType> element_of(std::string_view alternative, const OperatorCall& call) {
  if (alternative.front() == '@') {
    const Attribute* attribute = call.node().attribute(alternative.substr(1));
    if (attribute == nullptr) return std::nullopt;
    if (!attribute->tensors.empty()) return attribute->tensors[0].element;
    if (attribute->integer <= 0 || attribute->integer > std::numeric_limits<int32_t>::max()) return std::nullopt;
    const auto element = static_cast<ElementType>(attribute->integer);
    return name_of(element) == "?" ? ElementType::kUndefined : element;
  }
  if (alternative.front() >= '0' && alternative.front() <= '9') {
    const auto index = static_cast<size_t>(alternative.front() - '0');
    if (!call.has(index)) return std::nullopt;
    return call.input(index).element;
  }
  return element_type_named(alternative);
}

}  // namespace

const OperatorRule* find_rule(std::string_view domain, std::string_view type) {
  static const std::unordered_map<std::string, const OperatorRule*> table = make_table();
  const auto found = table.find(key_of(domain, type));
  return found == table.end() ? nullptr : found->second;
}

void set_elements(const OperatorRule& rule, OperatorCall* call) {
  std::string_view rest = rule.elements;
  std::string_view choice;
  for (size_t i = 0; i < call->output_count(); ++i) {
    if (!rest.empty()) {
      const size_t end = rest.find(' ');
      choice = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    if (choice == "*") continue;
    for (std::string_view left = choice; !left.empty();) {
      const size_t end = left.find(':');
      if (const auto element = element_of(left.substr(0, end), *call)) {
        call->output(i).element = *element;
        break;
      }
      left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    }
  }
}

}  // namespace xsp::bound
