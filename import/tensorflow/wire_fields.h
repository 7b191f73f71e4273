#pragma once

#include <cstdint>
#include <string_view>

namespace xsp {

/// Walks over the fields of a protobuf message that may be cut off: a field that is longer than what is left is given
/// as far as it goes, where protozero would give nothing. For the outer messages of a file; what is in them is read by
/// protozero.
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  /// Goes to the next field; false at the end, and where there is no field.
  bool next();
  uint32_t number() const { return number_; }
  /// Of a field of length-delimited type; else empty.
  std::string_view payload() const { return payload_; }
  /// Whether it has another type.
  bool is_scalar() const { return is_scalar_; }
  /// Of a varint.
  uint64_t varint() const { return varint_; }

  /// The message is cut off or damaged, at `rest()`.
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
