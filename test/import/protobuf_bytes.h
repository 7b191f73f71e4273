#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace xsp::test {

/// A protobuf message, field by field, for formats whose .proto files are not here.
class ProtobufBytes {
 public:
  ProtobufBytes& number(uint32_t field, uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  ProtobufBytes& floating(uint32_t field, double value) {
    key(field, 1);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
    return *this;
  }
  ProtobufBytes& text(uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_.append(value);
    return *this;
  }
  ProtobufBytes& message(uint32_t field, const ProtobufBytes& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(uint32_t field, uint32_t type) { varint(field << 3 | type); }
  void varint(uint64_t value) {
    for (; value > 0x7F; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace xsp::test
