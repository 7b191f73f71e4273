#include "bound/onnx/tensor_reader.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "bound/onnx/length_check.h"
#include "bound/onnx/model_file.h"
#include "bound/onnx/node_text.h"
#include "bound/onnx/schema_fields.h"
#include "bound/onnx/small_float.h"
#include "proto/wire_fields.h"

namespace xsp::bound {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using wire::wire_field::delimited;
using wire::wire_field::number;

/// More elements than this do not exist.
constexpr uint64_t kMostElements = uint64_t{1} << 53;

/// What a TensorProto says of itself, its values apart.
struct TensorOutline {
  std::string_view name;
  std::string_view raw_data;
  bool is_external = false;
};

bool add_dimension(int64_t size, std::vector<int64_t>* dimensions) {
  if (dimensions->size() == kMostDimensions) return false;
  dimensions->push_back(size);
  return size >= 0;
}

/// Dimensions, packed or one a field; false if they cannot be.
bool add_dimensions(pbf_reader& reader, std::vector<int64_t>* dimensions) {
  if (reader.wire_type() == pbf_wire_type::varint) return add_dimension(reader.get_int64(), dimensions);
  const std::string_view packed = payload(reader);
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) {
    if (!add_dimension(static_cast<int64_t>(protozero::decode_varint(&at, end)), dimensions)) return false;
  }
  return true;
}

Status bad_dimensions(std::string_view name) {
  return {fmt::format("constant {} has dimensions that cannot be", name_text(name))};
}

/// Nothing: too many.
std::optional<uint64_t> count_elements(const std::vector<int64_t>& dimensions) {
  uint64_t product = 1;
  bool is_empty = false;
  for (const int64_t size : dimensions) {
    is_empty = is_empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(product, static_cast<uint64_t>(size), &product)) return std::nullopt;
    if (product >= kMostElements) return std::nullopt;
  }
  return is_empty ? 0 : product;
}

Status read_outline(std::string_view message, ConstantTensor* tensor, TensorOutline* outline) {
  bool good = true;
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(fields::tensor::kDimensions):
      case delimited(fields::tensor::kDimensions):
        if (!add_dimensions(reader, &tensor->dimensions)) good = false;
        break;
      case number(fields::tensor::kElement):
        tensor->element = static_cast<ElementType>(reader.get_int32());
        break;
      case delimited(fields::tensor::kName):
        outline->name = payload(reader);
        break;
      case delimited(fields::tensor::kRawData):
        outline->raw_data = payload(reader);
        break;
      case delimited(fields::tensor::kExternalData):
        outline->is_external = true;
        reader.skip();
        break;
      case number(fields::tensor::kLocation):
        if (reader.get_int32() == fields::tensor::kLocationExternal) outline->is_external = true;
        break;
      default:
        reader.skip();
    }
  }
  return good ? Status{} : bad_dimensions(outline->name);
}

/// Whether the values of a type are among those that are kept.
bool has_numbers(ElementType element) { return is_integer(element) || is_floating(element); }

bool take_constant(ModelBudget& budget, const TensorOutline& outline, const ConstantTensor& tensor, size_t values) {
  return budget.take_bytes(sizeof tensor + outline.name.size() + (tensor.dimensions.size() + values) * sizeof(int64_t));
}

/// The field in which numbers of a type lie where they are not in raw_data.
uint32_t typed_field(ElementType element) {
  switch (element) {
    case ElementType::kF32:
      return fields::tensor::kFloatData;
    case ElementType::kF64:
      return fields::tensor::kDoubleData;
    case ElementType::kI64:
      return fields::tensor::kInt64Data;
    case ElementType::kU32:
    case ElementType::kU64:
      return fields::tensor::kUint64Data;
    default:
      return fields::tensor::kInt32Data;
  }
}

/// Appends the low `width` bytes of `value`.
void append_bytes(uint64_t value, size_t width, std::string* bytes) {
  for (size_t i = 0; i < width; ++i) bytes->push_back(static_cast<char>(value >> 8 * i & 0xff));
}

/// Values of the typed field as raw_data would have them; false if there are more than `most` bytes. Elements of less
/// than a byte share one in both.
bool gather_typed(std::string_view message, uint32_t field, size_t width, size_t most, std::string* bytes) {
  const bool is_fixed = field == fields::tensor::kFloatData || field == fields::tensor::kDoubleData;
  pbf_reader reader(message.data(), message.size());
  while (reader.next(field)) {
    if (reader.wire_type() != pbf_wire_type::length_delimited) {
      if (is_fixed) {
        append_bytes(width == sizeof(float) ? reader.get_fixed32() : reader.get_fixed64(), width, bytes);
      } else {
        append_bytes(reader.get_uint64(), width, bytes);
      }
      if (bytes->size() > most) return false;
      continue;
    }
    const std::string_view packed = payload(reader);
    if (is_fixed) {
      if (packed.size() > most - bytes->size()) return false;
      bytes->append(packed);
      continue;
    }
    const char* at = packed.data();
    const char* const end = at + packed.size();
    while (at != end) {
      append_bytes(protozero::decode_varint(&at, end), width, bytes);
      if (bytes->size() > most) return false;
    }
  }
  return true;
}

/// The bit pattern of element `index`; `bits` is 2, 4, or whole bytes.
uint64_t pattern_at(std::string_view bytes, size_t index, size_t bits) {
  uint64_t pattern = 0;
  const size_t first = index * bits;
  if (bits < 8)
    return static_cast<uint64_t>(static_cast<unsigned char>(bytes[first / 8])) >> first % 8 & ((1U << bits) - 1);
  for (size_t i = 0; i < bits / 8; ++i) {
    pattern |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[first / 8 + i])) << 8 * i;
  }
  return pattern;
}

bool is_signed(ElementType element) { return name_of(element).starts_with('i'); }

int64_t integer_of_pattern(ElementType element, uint64_t pattern, size_t bits) {
  if (element == ElementType::kBool) return pattern != 0 ? 1 : 0;
  if (!is_signed(element)) return static_cast<int64_t>(pattern);
  return static_cast<int64_t>(pattern << (64 - bits)) >> (64 - bits);
}

double floating_of_pattern(ElementType element, uint64_t pattern) {
  if (element == ElementType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(pattern));
  if (element == ElementType::kF64) return std::bit_cast<double>(pattern);
  return number_of_pattern(element, pattern);
}

void decode_values(std::string_view bytes, size_t elements, size_t bits, ConstantTensor* tensor) {
  tensor->has_values = true;
  for (size_t i = 0; i < elements; ++i) {
    const uint64_t pattern = pattern_at(bytes, i, bits);
    if (is_floating(tensor->element)) {
      tensor->numbers.push_back(floating_of_pattern(tensor->element, pattern));
      continue;
    }
    if (tensor->element == ElementType::kU64 && pattern > INT64_MAX) {
      tensor->integers.clear();
      tensor->has_values = false;
      return;
    }
    tensor->integers.push_back(integer_of_pattern(tensor->element, pattern, bits));
  }
}

}  // namespace

Status read_tensor(std::string_view message, ModelBudget& budget, ConstantTensor* tensor) {
  TensorOutline outline;
  if (Status status = read_outline(message, tensor, &outline); !status.ok()) return status;
  const std::optional<uint64_t> elements = count_elements(tensor->dimensions);
  if (!elements) return bad_dimensions(outline.name);
  const bool is_small = *elements <= ConstantTensor::kMostConstantElements;
  if (!take_constant(budget, outline, *tensor, is_small ? *elements : 0)) return {budget.excess()};
  tensor->name = outline.name;
  const auto bits = static_cast<uint64_t>(bytes_of(tensor->element) * 8);
  const uint64_t expected = (*elements * bits + 7) / 8;
  const auto wrong_size = [&](std::string_view amount) {
    return Status{fmt::format("constant {} has {} bytes of values for {} elements of {}", name_text(tensor->name),
                              amount, *elements, name_of(tensor->element))};
  };
  const bool has_raw_data = !outline.is_external && bits != 0 && !outline.raw_data.empty();
  if (has_raw_data && outline.raw_data.size() != expected) return wrong_size(std::to_string(outline.raw_data.size()));
  tensor->has_values = *elements == 0 && has_numbers(tensor->element);
  if (outline.is_external || !is_small || !has_numbers(tensor->element)) return {};
  std::string gathered;
  std::string_view bytes = outline.raw_data;
  if (bytes.empty()) {
    const size_t width = bits < 8 ? 1 : bits / 8;
    if (!gather_typed(message, typed_field(tensor->element), width, expected, &gathered)) {
      return wrong_size(fmt::format("more than {}", expected));
    }
    bytes = gathered;
    if (bytes.empty() && *elements != 0) return {};
    if (bytes.size() != expected) return wrong_size(std::to_string(bytes.size()));
  }
  decode_values(bytes, *elements, bits, tensor);
  return {};
}

Status read_sparse_tensor(std::string_view message, ModelBudget& budget, ConstantTensor* tensor) {
  bool good = true;
  TensorOutline outline;
  pbf_reader reader(message.data(), message.size());
  while (good && reader.next()) {
    switch (reader.tag_and_type()) {
      case delimited(fields::sparse_tensor::kValues): {
        ConstantTensor values;
        if (Status status = read_outline(payload(reader), &values, &outline); !status.ok()) return status;
        tensor->element = values.element;
        break;
      }
      case number(fields::sparse_tensor::kDimensions):
      case delimited(fields::sparse_tensor::kDimensions):
        good = add_dimensions(reader, &tensor->dimensions);
        break;
      default:
        reader.skip();
    }
  }
  const std::optional<uint64_t> elements = count_elements(tensor->dimensions);
  if (!good || !elements) return bad_dimensions(outline.name);
  if (!take_constant(budget, outline, *tensor, 0)) return {budget.excess()};
  tensor->name = outline.name;
  tensor->has_values = *elements == 0 && has_numbers(tensor->element);
  return {};
}

}  // namespace xsp::bound
