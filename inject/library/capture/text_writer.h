#pragma once

#include <stdint.h>
#include <string.h>

#include <string_view>

namespace xsp::guest {

/// Builds text in a buffer of its own, without allocating and independent of the program's locale. What does not fit is
/// left out.
class TextWriter {
 public:
  static constexpr size_t kCapacity = 1000;

  TextWriter& add(std::string_view text) {
    const size_t length = text.size() < kCapacity - length_ ? text.size() : kCapacity - length_;
    memcpy(bytes_ + length_, text.data(), length);
    length_ += length;
    return *this;
  }

  TextWriter& add(int64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do {
      digits[--at] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (value < 0) add("-");
    return add({digits + at, sizeof digits - at});
  }

  /// Six significant digits, as printf's %g.
  TextWriter& add(double value);

  /// "[1,2,3]"
  template <typename Number>
  TextWriter& add_list(const Number* values, int count) {
    add("[");
    for (int i = 0; i < count; ++i) {
      if (i != 0) add(",");
      add(static_cast<int64_t>(values[i]));
    }
    return add("]");
  }

  /// " name=value"; a value whose name is not known is shown as its number.
  TextWriter& add_name(std::string_view name, const char* text, int value) {
    add(name);
    return text != nullptr ? add(text) : add(static_cast<int64_t>(value));
  }

  std::string_view view() const { return {bytes_, length_}; }

 private:
  char bytes_[kCapacity];
  size_t length_ = 0;
};

}  // namespace xsp::guest
