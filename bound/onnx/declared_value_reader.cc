#include "bound/onnx/declared_value_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "bound/onnx/length_check.h"
#include "bound/onnx/model_file.h"
#include "bound/onnx/node_text.h"
#include "bound/onnx/schema_fields.h"
#include "proto/wire_fields.h"

namespace xsp::bound {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using wire::wire_field::delimited;
using wire::wire_field::number;

bool read_dimension(std::string_view message, Reading& reading, Dimension* dimension) {
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(fields::dimension::kValue):
        dimension->size = std::max<int64_t>(reader.get_int64(), -1);
        dimension->name.clear();
        break;
      case delimited(fields::dimension::kName):
        dimension->size = -1;
        if (!reading.read_text(reader, &dimension->name)) return false;
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

bool read_shape(std::string_view message, Reading& reading, DeclaredValue* value) {
  value->has_rank = true;
  pbf_reader reader(message.data(), message.size());
  while (reader.next(fields::shape::kDimension, pbf_wire_type::length_delimited)) {
    if (value->dimensions.size() == kMostDimensions) {
      return reading.fail(fmt::format("{} has more than {} dimensions", name_text(value->name), kMostDimensions),
                          kHintDamaged);
    }
    if (!reading.budget.take_bytes(sizeof(Dimension))) return reading.fail_excess();
    if (!read_dimension(payload(reader), reading, &value->dimensions.emplace_back())) return false;
  }
  return true;
}

bool read_tensor_type(std::string_view message, Reading& reading, DeclaredValue* value) {
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(fields::tensor_type::kElement):
        value->element = static_cast<ElementType>(reader.get_int32());
        break;
      case delimited(fields::tensor_type::kShape):
        value->dimensions.clear();
        if (!read_shape(payload(reader), reading, value)) return false;
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

bool read_type(std::string_view message, Reading& reading, DeclaredValue* value) {
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case delimited(fields::type::kTensor):
        value->is_tensor = true;
        if (!read_tensor_type(payload(reader), reading, value)) return false;
        break;
      case delimited(fields::type::kSequence):
      case delimited(fields::type::kMap):
      case delimited(fields::type::kOpaque):
      case delimited(fields::type::kSparseTensor):
      case delimited(fields::type::kOptional):
        value->is_tensor = false;
        reader.skip();
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

}  // namespace

bool add_value(std::string_view message, Reading& reading, std::vector<DeclaredValue>* values) {
  if (!reading.budget.take_bytes(sizeof(DeclaredValue))) return reading.fail_excess();
  DeclaredValue& value = values->emplace_back();
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case delimited(fields::value::kName):
        if (!reading.read_text(reader, &value.name)) return false;
        break;
      case delimited(fields::value::kType):
        if (!read_type(payload(reader), reading, &value)) return false;
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

}  // namespace xsp::bound
