#include "analysis/export/kineto_inputs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/export/json_text.h"

namespace xsp::analysis {
namespace {

constexpr std::pair<std::string_view, std::string_view> kElementTypes[] = {
    {"f32", "float"},
    {"bf16", "c10::BFloat16"},
    {"f16", "c10::Half"},
    {"i64", "long int"},
    {"i32", "int"},
    {"bool", "bool"},
    {"f64", "double"},
    {"u8", "unsigned char"},
    {"i8", "signed char"},
    {"i16", "short int"},
    {"u16", "unsigned short"},
    {"u32", "unsigned int"},
    {"u64", "unsigned long"},
    {"c64", "c10::complex<float>"},
    {"c128", "c10::complex<double>"},
    {"c32", "c10::complex<c10::Half>"},
    {"f8e4m3", "c10::Float8_e4m3fn"},
    {"f8e5m2", "c10::Float8_e5m2"},
    {"f8e8m0", "c10::Float8_e8m0fnu"},
    {"f4e2m1", "c10::Float4_e2m1fn_x2"},
};

std::string_view kineto_type(std::string_view element) {
  for (const auto& [ours, theirs] : kElementTypes) {
    if (ours == element) return theirs;
  }
  return element;
}

/// A tensor, "f32[8,64]", or nothing. False for another text.
bool append_tensor(std::string_view tensor, std::string* dims, std::string_view* type) {
  if (tensor.empty()) {
    dims->append("[]");
    return true;
  }
  const size_t bracket = tensor.find('[');
  if (bracket == std::string_view::npos || tensor.back() != ']') return false;
  const std::string_view shape = tensor.substr(bracket);
  if (shape.find_first_not_of("0123456789,-", 1) != shape.size() - 1) return false;
  dims->append(shape);
  *type = kineto_type(tensor.substr(0, bracket));
  return true;
}

/// The parts of "(f32[1],f32[2,3])" without its parentheses, split behind brackets.
std::vector<std::string_view> tensors_of(std::string_view list) {
  std::vector<std::string_view> tensors;
  while (!list.empty()) {
    const size_t end = std::min(list.find(']'), list.size() - 1) + 1;
    tensors.push_back(list.substr(0, end));
    list.remove_prefix(std::min(list.size(), end + 1));
  }
  return tensors;
}

}  // namespace

std::string kineto_inputs(std::string_view inputs) {
  std::string dims = "\"Input Dims\":[";
  std::string types = "],\"Input type\":[";
  for (bool first = true;; first = false) {
    const std::string_view argument = inputs.substr(0, inputs.find(';'));
    std::string_view type;
    if (!first) {
      dims += ',';
      types += ',';
    }
    if (argument.size() >= 2 && argument.front() == '(' && argument.back() == ')') {
      dims += '[';
      bool is_first = true;
      for (const std::string_view tensor : tensors_of(argument.substr(1, argument.size() - 2))) {
        if (!std::exchange(is_first, false)) dims += ',';
        if (!append_tensor(tensor, &dims, &type)) return {};
      }
      dims += ']';
      type = type == "?" ? "TensorList" : type;
    } else if (!append_tensor(argument, &dims, &type)) {
      return {};
    }
    append_json_string(type, &types);
    if (argument.size() == inputs.size()) break;
    inputs.remove_prefix(argument.size() + 1);
  }
  const std::string members = dims + types + ']';
  return nlohmann::json::accept('{' + members + '}') ? members : std::string();
}

}  // namespace xsp::analysis
