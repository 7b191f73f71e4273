#include "import/onnxruntime/node_shapes.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "import/frame/trace_events.h"

namespace xsp {
namespace {

using nlohmann::json;

/// onnxruntime/core/framework/data_types.cc, DataTypeImpl::ToString.
constexpr std::array kElementNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"float", "f32"},
    {"double", "f64"},
    {"float16", "f16"},
    {"bfloat16", "bf16"},
    {"Float8E4M3FN", "f8e4m3"},
    {"Float8E5M2", "f8e5m2"},
    {"float8e4m3fn", "f8e4m3"},
    {"float8e5m2", "f8e5m2"},
    {"int64", "i64"},
    {"int32", "i32"},
    {"int16", "i16"},
    {"int8", "i8"},
    {"uint8", "u8"},
});

std::string_view element_of(std::string_view name) {
  for (const auto& [theirs, ours] : kElementNames) {
    if (name == theirs) return ours;
  }
  return name;
}

std::optional<std::string> dimensions_of(const json& list) {
  if (!list.is_array()) return {};
  std::string text = "[";
  for (const json& dimension : list) {
    const auto number = integer_of(dimension);
    if (!number || *number < 0) return {};
    if (text.size() > 1) text += ',';
    text += std::to_string(*number);
  }
  return text + ']';
}

}  // namespace

NodeShapes read_node_shapes(const json& list) {
  NodeShapes read;
  if (!list.is_array()) return read;
  for (const json& entry : list) {
    if (!entry.is_object() || entry.size() != 1) break;
    const auto dimensions = dimensions_of(entry.begin().value());
    if (!dimensions) break;
    if (!read.shapes.empty()) {
      read.arguments += ';';
      read.shapes += ';';
    }
    read.arguments += element_of(entry.begin().key());
    read.arguments += *dimensions;
    read.shapes += *dimensions;
  }
  return read;
}

}  // namespace xsp
