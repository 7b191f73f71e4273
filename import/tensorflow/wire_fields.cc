#include "import/tensorflow/wire_fields.h"

#include <algorithm>

namespace xsp {

bool WireFields::take_varint(uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < rest_.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(rest_[i]);
    *value |= uint64_t{byte & 0x7Fu} << (7 * i);
    if ((byte & 0x80) != 0) continue;
    rest_.remove_prefix(i + 1);
    return true;
  }
  is_damaged_ = true;
  return false;
}

bool WireFields::skip(size_t bytes) {
  if (rest_.size() < bytes) {
    is_damaged_ = true;
    return false;
  }
  rest_.remove_prefix(bytes);
  return true;
}

bool WireFields::next() {
  if (is_damaged_ || rest_.empty()) return false;
  payload_ = {};
  varint_ = 0;
  uint64_t key = 0;
  if (!take_varint(&key)) return false;
  number_ = static_cast<uint32_t>(key >> 3);
  is_scalar_ = (key & 7) != 2;
  if (number_ == 0 || key > UINT32_MAX) {
    is_damaged_ = true;
    return false;
  }
  switch (key & 7) {
    case 0:
      return take_varint(&varint_);
    case 1:
      return skip(8);
    case 5:
      return skip(4);
    case 2: {
      uint64_t size = 0;
      if (!take_varint(&size)) return false;
      is_damaged_ = size > rest_.size();
      const size_t there = std::min<uint64_t>(size, rest_.size());
      payload_ = rest_.substr(0, there);
      rest_.remove_prefix(there);
      return true;
    }
    default:
      is_damaged_ = true;
      return false;
  }
}

}  // namespace xsp
