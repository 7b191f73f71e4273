#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace xsp::analysis {

/// A JSON array of integers, written as it grows.
class NumberColumn {
 public:
  static constexpr int64_t kNone = -1;

  void add(int64_t value) {
    char text[24];
    const auto [end, failure] = std::to_chars(text, text + sizeof text, value);
    static_cast<void>(failure);
    if (!numbers_.empty()) numbers_ += ',';
    numbers_.append(text, end);
    any_ |= value != kNone;
  }

  /// An index, UINT32_MAX for none.
  void add_index(uint32_t index) { add(index == UINT32_MAX ? kNone : int64_t{index}); }

  std::string text() const { return "[" + numbers_ + "]"; }
  /// Whether any value is not kNone.
  bool has_any() const { return any_; }

 private:
  std::string numbers_;
  bool any_ = false;
};

}  // namespace xsp::analysis
