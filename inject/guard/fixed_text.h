#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace xsp::guest {

/// Text of limited length, without allocation and without the C library's formatting, whose locale is the program's.
/// What does not fit is cut off. Always ends in a NUL.
template <size_t kCapacity>
class FixedText {
 public:
  FixedText& put(std::string_view text) {
    const size_t length = text.size() < kCapacity - 1 - length_ ? text.size() : kCapacity - 1 - length_;
    std::memcpy(bytes_ + length_, text.data(), length);
    length_ += length;
    bytes_[length_] = '\0';
    return *this;
  }

  FixedText& put_number(uint64_t value) {
    char digits[20];
    char* at = digits + sizeof digits;
    do {
      *--at = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return put({at, static_cast<size_t>(digits + sizeof digits - at)});
  }

  void clear() {
    length_ = 0;
    bytes_[0] = '\0';
  }
  bool empty() const { return length_ == 0; }
  bool full() const { return length_ == kCapacity - 1; }
  std::string_view view() const { return {bytes_, length_}; }
  const char* c_str() const { return bytes_; }

 private:
  size_t length_ = 0;
  char bytes_[kCapacity] = {};
};

}  // namespace xsp::guest
