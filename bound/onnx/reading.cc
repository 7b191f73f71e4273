#include "bound/onnx/reading.h"

#include <utility>

#include "bound/onnx/length_check.h"
#include "bound/onnx/tensor_reader.h"

namespace xsp::bound {

bool Reading::fail(std::string error, std::string hint) {
  status = {std::move(error), std::move(hint), kExitBadModel};
  return false;
}

bool Reading::read_text(protozero::pbf_reader& reader, std::string* text) {
  const std::string_view bytes = payload(reader);
  if (!budget.take_bytes(bytes.size())) return fail_excess();
  *text = bytes;
  return true;
}

bool Reading::add_text(protozero::pbf_reader& reader, std::vector<std::string>* texts) {
  const std::string_view bytes = payload(reader);
  if (!budget.take_text(bytes.size())) return fail_excess();
  texts->emplace_back(bytes);
  return true;
}

bool Reading::add_number(double value, std::vector<double>* numbers) {
  if (!budget.take_bytes(sizeof value)) return fail_excess();
  numbers->push_back(value);
  return true;
}

bool Reading::add_integer(int64_t value, std::vector<int64_t>* integers) {
  if (!budget.take_bytes(sizeof value)) return fail_excess();
  integers->push_back(value);
  return true;
}

bool Reading::add_numbers(protozero::pbf_reader& reader, std::vector<double>* numbers) {
  for (const float value : reader.get_packed_float()) {
    if (!add_number(value, numbers)) return false;
  }
  return true;
}

bool Reading::add_integers(std::string_view packed, std::vector<int64_t>* integers) {
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) {
    if (!add_integer(static_cast<int64_t>(protozero::decode_varint(&at, end)), integers)) return false;
  }
  return true;
}

bool Reading::add_tensor(std::string_view message, bool is_sparse, std::vector<ConstantTensor>* tensors) {
  ConstantTensor tensor;
  const Status read = is_sparse ? read_sparse_tensor(message, budget, &tensor) : read_tensor(message, budget, &tensor);
  if (!read.ok()) return fail(read.error, kHintDamaged);
  tensors->push_back(std::move(tensor));
  return true;
}

}  // namespace xsp::bound
