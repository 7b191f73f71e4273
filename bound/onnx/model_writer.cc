#include "bound/onnx/model_file.h"

#include <bit>
#include <cstring>

#include <protozero/pbf_writer.hpp>

#include "bound/onnx/schema_fields.h"
#include "bound/onnx/small_float.h"

namespace xsp::bound {
namespace {

using protozero::pbf_writer;

void write_texts(const std::vector<std::string>& texts, uint32_t field, pbf_writer& message) {
  for (const std::string& text : texts) message.add_string(field, text);
}

/// A text that may be left out.
void write_text(const std::string& text, uint32_t field, pbf_writer& message) {
  if (!text.empty()) message.add_string(field, text);
}

uint64_t pattern_of(const ConstantTensor& tensor, size_t index) {
  if (!is_floating(tensor.element)) return static_cast<uint64_t>(tensor.integers[index]);
  const double number = tensor.numbers[index];
  if (tensor.element == ElementType::kF64) return std::bit_cast<uint64_t>(number);
  if (tensor.element == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(number));
  return pattern_of_number(tensor.element, number);
}

/// The values as raw_data has them: little-endian, small elements packed from the lowest bit of a byte.
std::string raw_values(const ConstantTensor& tensor) {
  const auto bits = static_cast<size_t>(bytes_of(tensor.element) * 8);
  const size_t elements = is_floating(tensor.element) ? tensor.numbers.size() : tensor.integers.size();
  std::string bytes((elements * bits + 7) / 8, '\0');
  for (size_t i = 0; i < elements; ++i) {
    const uint64_t pattern = pattern_of(tensor, i);
    const size_t first = i * bits;
    if (bits < 8) {
      bytes[first / 8] = static_cast<char>(bytes[first / 8] | (pattern & ((1U << bits) - 1)) << first % 8);
      continue;
    }
    for (size_t byte = 0; byte < bits / 8; ++byte) {
      bytes[first / 8 + byte] = static_cast<char>(pattern >> 8 * byte & 0xff);
    }
  }
  return bytes;
}

void write_tensor(const ConstantTensor& tensor, pbf_writer message) {
  message.add_packed_int64(fields::tensor::kDimensions, tensor.dimensions.begin(), tensor.dimensions.end());
  message.add_int32(fields::tensor::kElement, static_cast<int32_t>(tensor.element));
  write_text(tensor.name, fields::tensor::kName, message);
  if (tensor.has_values) message.add_bytes(fields::tensor::kRawData, raw_values(tensor));
}

void write_value(const DeclaredValue& value, pbf_writer message) {
  message.add_string(fields::value::kName, value.name);
  pbf_writer type(message, fields::value::kType);
  if (!value.is_tensor) {
    // Which kind it is was not kept. A pbf_writer that nothing is written to would leave no message behind.
    type.add_message(fields::type::kOpaque, "", 0);
    return;
  }
  pbf_writer tensor(type, fields::type::kTensor);
  tensor.add_int32(fields::tensor_type::kElement, static_cast<int32_t>(value.element));
  if (!value.has_rank) return;
  if (value.dimensions.empty()) tensor.add_message(fields::tensor_type::kShape, "", 0);
  pbf_writer shape(tensor, fields::tensor_type::kShape);
  for (const Dimension& dimension : value.dimensions) {
    if (dimension.size < 0 && dimension.name.empty()) shape.add_message(fields::shape::kDimension, "", 0);
    pbf_writer written(shape, fields::shape::kDimension);
    if (dimension.size >= 0) {
      written.add_int64(fields::dimension::kValue, dimension.size);
    } else {
      write_text(dimension.name, fields::dimension::kName, written);
    }
  }
}

void write_graph(const Graph& graph, pbf_writer message);

void write_attribute(const Attribute& attribute, pbf_writer message) {
  message.add_string(fields::attribute::kName, attribute.name);
  write_text(attribute.reference, fields::attribute::kReference, message);
  const bool has_value = attribute.reference.empty();
  int32_t type = 0;
  switch (attribute.kind) {
    case Attribute::Kind::kNumber:
      type = fields::attribute::kTypeNumber;
      if (has_value) message.add_float(fields::attribute::kNumber, static_cast<float>(attribute.number));
      break;
    case Attribute::Kind::kInteger:
      type = fields::attribute::kTypeInteger;
      if (has_value) message.add_int64(fields::attribute::kInteger, attribute.integer);
      break;
    case Attribute::Kind::kText:
      type = fields::attribute::kTypeText;
      if (has_value) message.add_bytes(fields::attribute::kText, attribute.text);
      break;
    case Attribute::Kind::kTensor:
      type = fields::attribute::kTypeTensor;
      if (!attribute.tensors.empty()) {
        write_tensor(attribute.tensors.front(), pbf_writer(message, fields::attribute::kTensor));
      }
      break;
    case Attribute::Kind::kGraph:
      type = fields::attribute::kTypeGraph;
      if (!attribute.graphs.empty()) {
        write_graph(attribute.graphs.front(), pbf_writer(message, fields::attribute::kGraph));
      }
      break;
    case Attribute::Kind::kNumbers:
      type = fields::attribute::kTypeNumbers;
      for (const double number : attribute.numbers) {
        message.add_float(fields::attribute::kNumbers, static_cast<float>(number));
      }
      break;
    case Attribute::Kind::kIntegers:
      type = fields::attribute::kTypeIntegers;
      for (const int64_t integer : attribute.integers) message.add_int64(fields::attribute::kIntegers, integer);
      break;
    case Attribute::Kind::kTexts:
      type = fields::attribute::kTypeTexts;
      write_texts(attribute.texts, fields::attribute::kTexts, message);
      break;
    case Attribute::Kind::kNone:
    case Attribute::Kind::kOther:
      return;
  }
  message.add_int32(fields::attribute::kType, type);
}

void write_node(const Node& node, pbf_writer message) {
  write_texts(node.inputs, fields::node::kInput, message);
  write_texts(node.outputs, fields::node::kOutput, message);
  write_text(node.name, fields::node::kName, message);
  message.add_string(fields::node::kType, node.type);
  for (const Attribute& attribute : node.attributes) {
    if (attribute.kind == Attribute::Kind::kNone || attribute.kind == Attribute::Kind::kOther) continue;
    write_attribute(attribute, pbf_writer(message, fields::node::kAttribute));
  }
  write_text(node.domain, fields::node::kDomain, message);
  write_text(node.overload, fields::node::kOverload, message);
}

void write_graph(const Graph& graph, pbf_writer message) {
  for (const Node& node : graph.nodes) write_node(node, pbf_writer(message, fields::graph::kNode));
  message.add_string(fields::graph::kName, graph.name);
  for (const ConstantTensor& tensor : graph.initializers) {
    write_tensor(tensor, pbf_writer(message, fields::graph::kInitializer));
  }
  for (const DeclaredValue& value : graph.inputs) write_value(value, pbf_writer(message, fields::graph::kInput));
  for (const DeclaredValue& value : graph.outputs) write_value(value, pbf_writer(message, fields::graph::kOutput));
}

void write_opsets(const std::map<std::string, int64_t>& opsets, uint32_t field, pbf_writer& message) {
  for (const auto& [domain, version] : opsets) {
    pbf_writer opset(message, field);
    opset.add_string(fields::opset::kDomain, domain);
    opset.add_int64(fields::opset::kVersion, version);
  }
}

void write_function(const Function& function, pbf_writer message) {
  message.add_string(fields::function::kName, function.name);
  write_texts(function.inputs, fields::function::kInput, message);
  write_texts(function.outputs, fields::function::kOutput, message);
  for (const Node& node : function.nodes) write_node(node, pbf_writer(message, fields::function::kNode));
  write_opsets(function.opsets, fields::function::kOpset, message);
  write_text(function.domain, fields::function::kDomain, message);
  for (const Attribute& attribute : function.defaults) {
    write_attribute(attribute, pbf_writer(message, fields::function::kAttribute));
  }
  write_text(function.overload, fields::function::kOverload, message);
}

}  // namespace

std::string write_model(const Model& model) {
  std::string bytes;
  pbf_writer message(bytes);
  message.add_int64(fields::model::kIrVersion, model.ir_version);
  write_text(model.producer, fields::model::kProducer, message);
  write_graph(model.graph, pbf_writer(message, fields::model::kGraph));
  write_opsets(model.opsets, fields::model::kOpset, message);
  for (const Function& function : model.functions) {
    write_function(function, pbf_writer(message, fields::model::kFunction));
  }
  return bytes;
}

}  // namespace xsp::bound
