#include "bound/onnx/tensor_reader.h"

#include <cmath>

#include <protozero/pbf_writer.hpp>

#include "bound/onnx/model_file.h"
#include "bound/onnx/schema_fields.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using protozero::pbf_writer;
using Integers = std::vector<int64_t>;
using Doubles = std::vector<double>;
using namespace std::string_literals;

/// The first fields of a TensorProto.
std::string tensor_head(ElementType element, const Integers& dimensions) {
  std::string bytes;
  pbf_writer tensor(bytes);
  for (const int64_t size : dimensions) tensor.add_int64(fields::tensor::kDimensions, size);
  tensor.add_int32(fields::tensor::kElement, static_cast<int32_t>(element));
  tensor.add_string(fields::tensor::kName, "w");
  return bytes;
}

std::string with_raw(ElementType element, const Integers& dimensions, const std::string& raw) {
  std::string bytes = tensor_head(element, dimensions);
  pbf_writer(bytes).add_bytes(fields::tensor::kRawData, raw);
  return bytes;
}

ConstantTensor good_tensor(const std::string& message) {
  ModelBudget budget;
  ConstantTensor tensor;
  CHECK(read_tensor(message, budget, &tensor).error.empty());
  return tensor;
}

std::string tensor_error(const std::string& message) {
  ModelBudget budget;
  ConstantTensor tensor;
  return read_tensor(message, budget, &tensor).error;
}

TEST_CASE("Raw bytes become the values of their type") {
  using E = ElementType;
  CHECK(good_tensor(with_raw(E::kI64, {2}, "\xfe\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0\0\0\0\x80"s)).integers ==
        Integers{-2, INT64_MIN + 1});
  CHECK(good_tensor(with_raw(E::kI32, {1}, "\xff\xff\xff\xff")).integers == Integers{-1});
  CHECK(good_tensor(with_raw(E::kU32, {1}, "\xff\xff\xff\xff")).integers == Integers{4294967295});
  CHECK(good_tensor(with_raw(E::kI16, {1}, "\x00\x80"s)).integers == Integers{-32768});
  CHECK(good_tensor(with_raw(E::kU16, {1}, "\x00\x80"s)).integers == Integers{32768});
  CHECK(good_tensor(with_raw(E::kI8, {2}, "\x80\x7f")).integers == Integers{-128, 127});
  CHECK(good_tensor(with_raw(E::kU8, {2}, "\x80\x7f")).integers == Integers{128, 127});
  CHECK(good_tensor(with_raw(E::kBool, {3}, "\0\1\2"s)).integers == Integers{0, 1, 1});
  CHECK(good_tensor(with_raw(E::kI4, {3}, "\x8f\x07")).integers == Integers{-1, -8, 7});
  CHECK(good_tensor(with_raw(E::kU4, {3}, "\x8f\x07")).integers == Integers{15, 8, 7});
  CHECK(good_tensor(with_raw(E::kI2, {5}, "\xe4\x02")).integers == Integers{0, 1, -2, -1, -2});
  CHECK(good_tensor(with_raw(E::kF32, {2}, "\0\0\x80\x3f\0\0\0\xc0"s)).numbers == Doubles{1, -2});
  CHECK(good_tensor(with_raw(E::kF64, {1}, "\0\0\0\0\0\0\xf8\x3f"s)).numbers == Doubles{1.5});
  CHECK(good_tensor(with_raw(E::kF16, {1}, "\x00\xbe"s)).numbers == Doubles{-1.5});
  CHECK(good_tensor(with_raw(E::kBf16, {1}, "\xc0\x3f")).numbers == Doubles{1.5});
  CHECK(good_tensor(with_raw(E::kF8E4M3, {1}, "\x38")).numbers == Doubles{1});
}

TEST_CASE("Values lie in typed fields, packed, one a field, or in pieces") {
  std::string packed = tensor_head(ElementType::kI64, {3});
  const Integers first = {-5, 7};
  pbf_writer(packed).add_packed_int64(fields::tensor::kInt64Data, first.begin(), first.end());
  pbf_writer(packed).add_int64(fields::tensor::kInt64Data, 1);
  const ConstantTensor pieces = good_tensor(packed);
  CHECK(pieces.has_values);
  CHECK(pieces.name == "w");
  CHECK(pieces.integers == Integers{-5, 7, 1});

  std::string floats = tensor_head(ElementType::kF32, {2});
  pbf_writer(floats).add_float(fields::tensor::kFloatData, 0.25F);
  const std::vector<float> more = {-3};
  pbf_writer(floats).add_packed_float(fields::tensor::kFloatData, more.begin(), more.end());
  CHECK(good_tensor(floats).numbers == Doubles{0.25, -3});

  std::string doubles = tensor_head(ElementType::kF64, {1});
  pbf_writer(doubles).add_double(fields::tensor::kDoubleData, 1e300);
  CHECK(good_tensor(doubles).numbers == Doubles{1e300});

  std::string halves = tensor_head(ElementType::kF16, {1});
  pbf_writer(halves).add_int32(fields::tensor::kInt32Data, 0x3e00);
  CHECK(good_tensor(halves).numbers == Doubles{1.5});

  std::string bytes = tensor_head(ElementType::kI8, {2});
  pbf_writer(bytes).add_int32(fields::tensor::kInt32Data, -3);
  pbf_writer(bytes).add_int32(fields::tensor::kInt32Data, 4);
  CHECK(good_tensor(bytes).integers == Integers{-3, 4});

  std::string nibbles = tensor_head(ElementType::kI4, {3});
  pbf_writer(nibbles).add_int32(fields::tensor::kInt32Data, 0x8f);
  pbf_writer(nibbles).add_int32(fields::tensor::kInt32Data, 0x07);
  CHECK(good_tensor(nibbles).integers == Integers{-1, -8, 7});

  std::string unsigned_words = tensor_head(ElementType::kU64, {1});
  pbf_writer(unsigned_words).add_uint64(fields::tensor::kUint64Data, 9);
  CHECK(good_tensor(unsigned_words).integers == Integers{9});
}

TEST_CASE("A scalar has one value, an empty tensor none") {
  CHECK(good_tensor(with_raw(ElementType::kU8, {}, "\x07")).integers == Integers{7});
  const ConstantTensor empty = good_tensor(tensor_head(ElementType::kI64, {0}));
  CHECK(empty.has_values);
  CHECK(empty.integers.empty());
  std::string empty_elsewhere = tensor_head(ElementType::kF32, {4, 0});
  pbf_writer(empty_elsewhere).add_int32(fields::tensor::kLocation, fields::tensor::kLocationExternal);
  CHECK(good_tensor(empty_elsewhere).has_values);
}

TEST_CASE("Values that are large, elsewhere, absent or no numbers are not there") {
  constexpr auto kMost = static_cast<int64_t>(ConstantTensor::kMostConstantElements);
  CHECK(good_tensor(with_raw(ElementType::kU8, {kMost}, std::string(kMost, 'x'))).integers.size() == kMost);
  const ConstantTensor large = good_tensor(with_raw(ElementType::kU8, {kMost + 1}, std::string(kMost + 1, 'x')));
  CHECK_FALSE(large.has_values);
  CHECK(large.integers.empty());
  CHECK(large.dimensions == Integers{kMost + 1});

  std::string external = tensor_head(ElementType::kU8, {4});
  pbf_writer(external).add_message(fields::tensor::kExternalData, "\n\blocation\x12\1w"s);
  pbf_writer(external).add_int32(fields::tensor::kLocation, fields::tensor::kLocationExternal);
  CHECK_FALSE(good_tensor(external).has_values);
  std::string only_located = tensor_head(ElementType::kU8, {4});
  pbf_writer(only_located).add_int32(fields::tensor::kLocation, fields::tensor::kLocationExternal);
  pbf_writer(only_located).add_bytes(fields::tensor::kRawData, "1234");
  CHECK_FALSE(good_tensor(only_located).has_values);
  CHECK_FALSE(good_tensor(tensor_head(ElementType::kF32, {64, 3, 7, 7})).has_values);
  CHECK_FALSE(good_tensor(tensor_head(ElementType::kF32, {2})).has_values);
  CHECK_FALSE(good_tensor(with_raw(ElementType::kC64, {1}, std::string(8, 'x'))).has_values);
  CHECK_FALSE(good_tensor(tensor_head(ElementType::kString, {2})).has_values);
  CHECK_FALSE(good_tensor(with_raw(ElementType::kU64, {1}, std::string(8, '\xff'))).has_values);
}

TEST_CASE("Values that are too few or too many are an error with both numbers") {
  CHECK(tensor_error(with_raw(ElementType::kF32, {2}, "1234567")) ==
        "constant w has 7 bytes of values for 2 elements of f32");
  CHECK(tensor_error(with_raw(ElementType::kF32, {100, 100}, "12345678")) ==
        "constant w has 8 bytes of values for 10000 elements of f32");
  std::string few = tensor_head(ElementType::kI32, {2});
  pbf_writer(few).add_int32(fields::tensor::kInt32Data, 1);
  CHECK(tensor_error(few) == "constant w has 4 bytes of values for 2 elements of i32");
  std::string many = tensor_head(ElementType::kI32, {1});
  const Integers values(100000, 1);
  pbf_writer(many).add_packed_int64(fields::tensor::kInt32Data, values.begin(), values.end());
  CHECK(tensor_error(many) == "constant w has more than 4 bytes of values for 1 elements of i32");
}

TEST_CASE("Dimensions that are negative, overflow or are too many are an error") {
  const std::string wrong = "constant w has dimensions that cannot be";
  CHECK(tensor_error(tensor_head(ElementType::kF32, {3, -1})) == wrong);
  CHECK(tensor_error(tensor_head(ElementType::kF32, {-1, -1, 3})) == wrong);
  CHECK(tensor_error(tensor_head(ElementType::kF32, {int64_t{1} << 53})) == wrong);
  CHECK(tensor_error(tensor_head(ElementType::kF32, {int64_t{1} << 40, int64_t{1} << 40})) == wrong);
  CHECK(tensor_error(tensor_head(ElementType::kF32, {0, INT64_MAX, INT64_MAX})) == wrong);
  CHECK(tensor_error(tensor_head(ElementType::kF32, Integers(kMostDimensions + 1, 1))) == wrong);
  CHECK(tensor_error(tensor_head(ElementType::kF32, Integers(kMostDimensions, 1))).empty());
  std::string packed = tensor_head(ElementType::kF32, {});
  const Integers dimensions = {2, 3};
  pbf_writer(packed).add_packed_int64(fields::tensor::kDimensions, dimensions.begin(), dimensions.end());
  CHECK(good_tensor(packed).dimensions == dimensions);
}

TEST_CASE("Of a sparse tensor name, type and dimensions are kept") {
  std::string bytes;
  {
    pbf_writer sparse(bytes);
    sparse.add_message(fields::sparse_tensor::kValues, with_raw(ElementType::kF32, {1}, "1234"));
    sparse.add_int64(fields::sparse_tensor::kDimensions, 100);
    sparse.add_int64(fields::sparse_tensor::kDimensions, 200);
  }
  ModelBudget budget;
  ConstantTensor tensor;
  CHECK(read_sparse_tensor(bytes, budget, &tensor).ok());
  CHECK(tensor.name == "w");
  CHECK(tensor.element == ElementType::kF32);
  CHECK(tensor.dimensions == Integers{100, 200});
  CHECK_FALSE(tensor.has_values);
}

}  // namespace
}  // namespace xsp::bound
