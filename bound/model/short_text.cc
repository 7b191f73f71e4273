#include "bound/model/short_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::bound {
namespace {

constexpr size_t kMostWrittenText = 512;
constexpr std::string_view kCut = "…";

uint64_t sum_of(const ValueFacts& facts) {
  Fingerprint sum;
  sum.add(static_cast<uint64_t>(facts.element));
  for (const int64_t dimension : facts.dimensions) sum.add(static_cast<uint64_t>(dimension));
  return sum.value();
}

/// The tensors that a list has no room for.
class LeftOutTensors {
 public:
  void add(const ValueFacts* facts) {
    ++count_;
    const bool is_known = facts != nullptr && facts->has_shape;
    // Long lists often repeat a tensor.
    if (is_known && facts != last_) {
      last_ = facts;
      sum_of_last_ = sum_of(*facts);
      elements_of_last_ = facts->elements();
    }
    sum_.add(is_known ? sum_of_last_ : 0);
    if (is_known) elements_ += elements_of_last_;
  }

  std::string text() const {
    return fmt::format("{}{}:{}[{}]", kCut, count_, sum_.text(), static_cast<int64_t>(std::min(elements_, 0x1p62)));
  }

 private:
  size_t count_ = 0;
  double elements_ = 0;
  Fingerprint sum_;
  const ValueFacts* last_ = nullptr;
  uint64_t sum_of_last_ = 0;
  double elements_of_last_ = 0;
};

template <typename At>
std::string tensors_text(size_t count, size_t most, const At& at) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const ValueFacts* facts = at(i);
    const std::string tensor = facts == nullptr ? "" : facts->text();
    if (text.size() + tensor.size() >= most) {
      LeftOutTensors others;
      for (; i < count; ++i) others.add(at(i));
      return text + (text.empty() ? "" : ";") + others.text();
    }
    if (i > 0) text += ';';
    text += tensor;
  }
  return text;
}

}  // namespace

std::string Fingerprint::text() const { return fmt::format("{:016x}", sum_); }

std::string shortened(std::string text) {
  if (text.size() <= kMostWrittenText) return text;
  Fingerprint sum;
  sum.add(text);
  return fmt::format("{}:{}", text.size(), sum.text());
}

bool is_cut(std::string_view tensors) { return tensors.find(kCut) != std::string_view::npos; }

std::string inputs_text(const NodeView& view, size_t most) {
  return tensors_text(view.inputs(), most, [&view](size_t i) { return view.input(i); });
}

std::string outputs_text(const NodeView& view, size_t most) {
  return tensors_text(view.outputs(), most, [&view](size_t i) { return view.output(i); });
}

}  // namespace xsp::bound
