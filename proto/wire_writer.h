#pragma once

/// Protobuf encoding into a fixed buffer, for use inside a stranger's process: no allocation, no exception, nothing
/// outside this header. A write that does not fit sets failed() and changes nothing more; the caller checks once at the
/// end. Wire format: https://protobuf.dev/programming-guides/encoding/
///
///     WireWriter writer(buffer, sizeof buffer);
///     auto packet = writer.begin(wire::Trace::kPacket);
///     writer.uint64(wire::Packet::kSequence, sequence);
///     writer.end(packet);
///     if (!writer.failed()) send(writer.data(), writer.size());

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace xsp {

constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

class WireWriter {
 public:
  /// A nested message or packed field being written; its length is filled in by end().
  struct Mark {
    size_t length_at;
  };

  WireWriter(void* buffer, size_t capacity) : data_(static_cast<uint8_t*>(buffer)), capacity_(capacity) {}

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  size_t room() const { return capacity_ - size_; }
  bool failed() const { return failed_; }
  void clear() {
    size_ = 0;
    failed_ = false;
  }

  /// Fields with proto3's default value are left out, as libprotobuf does.
  void uint64(uint32_t field, uint64_t value) {
    if (value == 0) return;
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void sint64(uint32_t field, int64_t value) { uint64(field, zigzag(value)); }
  void boolean(uint32_t field, bool value) { uint64(field, value ? 1 : 0); }
  void float64(uint32_t field, double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (bits == 0) return;
    varint(uint64_t{field} << 3 | 1);
    raw(&bits, sizeof bits);
  }
  void bytes(uint32_t field, const void* value, size_t length) {
    if (length != 0) element(field, value, length);
  }
  void string(uint32_t field, std::string_view value) { bytes(field, value.data(), value.size()); }
  /// A member of a repeated bytes or string field: written even when empty.
  void element(uint32_t field, const void* value, size_t length) {
    varint(uint64_t{field} << 3 | 2);
    varint(length);
    raw(value, length);
  }

  /// Opens a nested message, or a packed or bytes field when followed by varint() or
  /// append() calls. The length takes four bytes however
  /// short it is (a varint may be padded), so that nothing moves at end(): at most 256 MiB.
  Mark begin(uint32_t field) {
    varint(uint64_t{field} << 3 | 2);
    Mark mark{size_};
    static constexpr uint8_t kPlaceholder[4] = {};
    raw(kPlaceholder, sizeof kPlaceholder);
    return mark;
  }
  void end(Mark mark) {
    if (failed_) return;
    const uint64_t length = size_ - mark.length_at - 4;
    uint8_t* at = data_ + mark.length_at;
    at[0] = static_cast<uint8_t>(length | 0x80);
    at[1] = static_cast<uint8_t>(length >> 7 | 0x80);
    at[2] = static_cast<uint8_t>(length >> 14 | 0x80);
    at[3] = static_cast<uint8_t>(length >> 21 & 0x7f);
  }

  /// Bytes of a field opened by begin().
  void append(const void* bytes, size_t length) { raw(bytes, length); }

  void varint(uint64_t value) {
    if (room() < 10) {
      failed_ = true;
      return;
    }
    while (value >= 0x80) {
      data_[size_++] = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
    }
    data_[size_++] = static_cast<uint8_t>(value);
  }

 private:
  void raw(const void* from, size_t length) {
    if (failed_ || room() < length) {
      failed_ = true;
      return;
    }
    if (length != 0) std::memcpy(data_ + size_, from, length);
    size_ += length;
  }

  uint8_t* data_;
  size_t capacity_;
  size_t size_ = 0;
  bool failed_ = false;
};

}  // namespace xsp
