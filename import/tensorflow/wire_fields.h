#pragma once

#include <cstdint>
#include <string_view>

namespace xsp {

/// Walks over the fields of a protobuf message that may be truncated: a field longer than the rest is returned as far
/// as it goes, where protozero would return nothing. For the outer messages of a file; their content is read by
/// protozero.
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  /// Advances to the next field; false at the end, and where there is no valid field.
  bool next();
  uint32_t number() const { return number_; }
  /// The payload of a length-delimited field; else empty.
  std::string_view payload() const { return payload_; }
  /// Whether the field has another type.
  bool is_scalar() const { return is_scalar_; }
  /// The value of a varint.
  uint64_t varint() const { return varint_; }

  /// The message is truncated or damaged, at `rest()`.
  bool is_damaged() const { return is_damaged_; }
  std::string_view rest() const { return rest_; }

 private:
  bool take_varint(uint64_t* value);
  bool skip(size_t bytes);

  std::string_view rest_;
  std::string_view payload_;
  uint64_t varint_ = 0;
  uint32_t number_ = 0;
  bool is_scalar_ = false;
  bool is_damaged_ = false;
};

}  // namespace xsp
