#include "analysis/work/operator_arguments.h"

#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

namespace xsp::analysis {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxValuesBytes = size_t{1} << 20;
constexpr size_t kMaxListElements = 4096;

/// Texts stay as they are, other values become their JSON.
std::vector<std::string> read_values(std::string_view text) {
  std::vector<std::string> values;
  if (text.empty() || text.size() > kMaxValuesBytes) return values;
  const Json root = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_array()) return values;
  for (const Json& value : root) {
    if (value.is_string()) {
      values.push_back(value.get<std::string>());
    } else if (value.is_null()) {
      values.emplace_back();
    } else {
      values.push_back(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }
  return values;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \"");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \"") - begin + 1);
}

std::optional<int64_t> to_integer(std::string_view text) {
  text = trimmed(text);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

std::optional<bool> to_flag(std::string_view text) {
  text = trimmed(text);
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return {};
}

/// The elements of "[16, 16]"; the text itself without brackets.
std::optional<std::vector<std::string_view>> elements_of(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return {};
  if (text.front() != '[' && text.front() != '(') return std::vector<std::string_view>{text};
  if (text.size() < 2 || (text.back() != ']' && text.back() != ')')) return {};
  text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> elements;
  while (!trimmed(text).empty()) {
    if (elements.size() == kMaxListElements) return {};
    const size_t comma = text.find(',');
    elements.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return elements;
}

}  // namespace

std::optional<OperatorArguments> OperatorArguments::parse(const OperatorCall& call) {
  OperatorArguments arguments;
  auto inputs = parse_tensor_arguments(call.inputs);
  auto outputs = parse_tensor_arguments(call.outputs);
  if (!inputs || !outputs) return {};
  arguments.inputs_ = std::move(*inputs);
  arguments.outputs_ = std::move(*outputs);
  if (auto enclosing = parse_tensor_arguments(call.enclosing_inputs)) arguments.enclosing_ = std::move(*enclosing);
  if (auto gradient = parse_tensor_arguments(call.gradient_inputs)) arguments.gradient_ = std::move(*gradient);
  arguments.values_ = read_values(call.values);
  return arguments;
}

const TensorArgument& OperatorArguments::list(const std::vector<TensorArgument>& arguments, size_t index) {
  static const TensorArgument kNone;
  return index < arguments.size() ? arguments[index] : kNone;
}

const TensorShape* OperatorArguments::tensor(const std::vector<TensorArgument>& arguments, size_t index) {
  const TensorArgument& argument = list(arguments, index);
  return argument.empty() ? nullptr : &argument.front();
}

std::optional<int64_t> OperatorArguments::integer(size_t index) const { return to_integer(value(index)); }

std::optional<double> OperatorArguments::number(size_t index) const {
  const std::string_view text = trimmed(value(index));
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // PyTorch prints 0. for 0.0.
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(number)) return {};
  return number;
}

std::optional<bool> OperatorArguments::flag(size_t index) const { return to_flag(value(index)); }

std::optional<std::vector<int64_t>> OperatorArguments::integers(size_t index) const {
  const auto elements = elements_of(value(index));
  if (!elements) return {};
  std::vector<int64_t> numbers;
  for (const std::string_view element : *elements) {
    const auto number = to_integer(element);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<bool>> OperatorArguments::flags(size_t index) const {
  const auto elements = elements_of(value(index));
  if (!elements) return {};
  std::vector<bool> flags;
  for (const std::string_view element : *elements) {
    const auto flag = to_flag(element);
    if (!flag) return {};
    flags.push_back(*flag);
  }
  return flags;
}

}  // namespace xsp::analysis
