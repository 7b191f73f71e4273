#include "analysis/work/tensor_shape.h"

#include <charconv>
#include <limits>

namespace xsp::analysis {
namespace {

/// What is beyond is damage: the largest calls have a few thousand tensors.
constexpr size_t kMaxTensors = 100'000;
constexpr double kMaxElements = 9007199254740992.0;  // 2^53: all smaller integers are exact

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<std::vector<TensorArgument>> arguments() {
    std::vector<TensorArgument> all;
    if (text_.empty()) return all;
    do {
      if (all.size() == kMaxTensors) return {};
      TensorArgument argument;
      if (!read_argument(&argument)) return {};
      all.push_back(std::move(argument));
    } while (take(';'));
    if (at_ != text_.size()) return {};
    return all;
  }

 private:
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool at_end_of_argument() const { return at_ == text_.size() || text_[at_] == ';'; }

  bool read_argument(TensorArgument* argument) {
    if (at_end_of_argument()) return true;
    if (!take('(')) return read_tensor(argument) && at_end_of_argument();
    if (take(')')) return at_end_of_argument();
    do {
      // A list may have an empty place for what is no tensor.
      if (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ')')) continue;
      if (!read_tensor(argument)) return false;
    } while (take(','));
    return take(')') && at_end_of_argument();
  }

  bool read_tensor(TensorArgument* argument) {
    if (++tensors_ > kMaxTensors) return false;
    const size_t open = text_.find('[', at_);
    if (open == std::string_view::npos) return false;
    const std::string_view element = text_.substr(at_, open - at_);
    if (element.empty() || element.find_first_of(";(),]") != std::string_view::npos) return false;
    at_ = open + 1;
    std::vector<int64_t> dimensions;
    if (!take(']')) {
      do {
        int64_t dimension = 0;
        const char* end = text_.data() + text_.size();
        const auto [stop, error] = std::from_chars(text_.data() + at_, end, dimension);
        if (error != std::errc() || dimensions.size() == TensorShape::kMaxRank) return false;
        at_ = static_cast<size_t>(stop - text_.data());
        dimensions.push_back(dimension);
      } while (take(','));
      if (!take(']')) return false;
    }
    auto shape = TensorShape::of(element, std::move(dimensions));
    if (!shape) return false;
    argument->push_back(std::move(*shape));
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t tensors_ = 0;
};

/// Order of promotion; 0: not known.
int promotion_rank(std::string_view element) {
  constexpr std::string_view kOrder[] = {"bool", "u8",   "i8",  "i16", "i32", "i64", "f8e5m2", "f8e4m3",
                                         "f16",  "bf16", "f32", "f64", "c32", "c64", "c128"};
  int rank = 1;
  for (const std::string_view known : kOrder) {
    if (known == element) return rank;
    ++rank;
  }
  return 0;
}

}  // namespace

std::optional<TensorShape> TensorShape::of(std::string_view element, std::vector<int64_t> dimensions) {
  if (dimensions.size() > kMaxRank) return {};
  TensorShape shape;
  shape.element = element;
  for (const int64_t dimension : dimensions) {
    if (dimension < 0) return {};
    shape.elements *= static_cast<double>(dimension);
    if (!(shape.elements < kMaxElements)) return {};
  }
  shape.dimensions = std::move(dimensions);
  return shape;
}

int64_t TensorShape::dimension(int index) const {
  const int count = static_cast<int>(dimensions.size());
  const int at = index < 0 ? count + index : index;
  return at < 0 || at >= count ? 0 : dimensions[static_cast<size_t>(at)];
}

double TensorShape::bytes() const {
  const double size = element_bytes(element);
  return size == 0 ? std::numeric_limits<double>::quiet_NaN() : elements * size;
}

std::optional<std::vector<TensorArgument>> parse_tensor_arguments(std::string_view text) {
  return Parser(text).arguments();
}

DataType data_type_of(std::string_view element) {
  if (element == "f32" || element == "c64") return DataType::kF32;
  if (element == "f16" || element == "c32") return DataType::kF16;
  if (element == "bf16") return DataType::kBf16;
  if (element == "f64" || element == "c128") return DataType::kF64;
  if (element.starts_with("f8")) return DataType::kF8Tensor;
  if (element.starts_with("f4")) return DataType::kF4Tensor;
  const bool is_integer = element == "bool" || element == "i64" || element == "i32" || element == "i16" ||
                          element == "i8" || element == "u8" || element == "u16" || element == "u32" ||
                          element == "u64";
  return is_integer ? DataType::kI32 : DataType::kUnknown;
}

std::string_view promoted(std::string_view a, std::string_view b) {
  // Neither of the two half types contains the other.
  if ((a == "f16" && b == "bf16") || (a == "bf16" && b == "f16")) return "f32";
  return promotion_rank(b) > promotion_rank(a) ? b : a;
}

}  // namespace xsp::analysis
