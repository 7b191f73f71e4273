#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xsp::guest {

/// How many threads were advised, as the file says that XSP_CONCURRENCY names: lines of fields with a tab in between,
///
///     xsp-threads	1        the format
///     own	4                  what the program had when it was measured
///     whole	2                for whole models; 0: not
///     type	Conv2d	3        for layers of a type; bytes below 0x20 and % are percent-encoded
///     sessions-intra	2       for sessions of ONNX Runtime
///     sessions-inter	1
///
/// Lines that are not known are passed over. Plain data, all zeros: nothing was advised.
class ThreadPolicy {
 public:
  static constexpr size_t kMostFileBytes = size_t{64} * 1024;
  static constexpr uint32_t kMostTypes = 256;

  /// Reads the file. False, with nothing advised, if it cannot be read, is no policy, or is too large. The memory that
  /// it takes stays until the process ends.
  bool read(const char* path);
  /// The same of text that stays where it is, and is changed.
  bool parse(char* text, size_t length);

  uint16_t whole() const { return whole_; }
  uint16_t sessions_intra() const { return sessions_intra_; }
  uint16_t sessions_inter() const { return sessions_inter_; }
  bool has_types() const { return type_count_ != 0; }
  /// Advised for layers of a type; 0: nothing.
  uint16_t of_type(std::string_view type) const;

 private:
  struct Type {
    const char* name;
    uint16_t threads;
  };

  void take(char* line);

  uint16_t whole_;
  uint16_t sessions_intra_;
  uint16_t sessions_inter_;
  uint32_t type_count_;
  Type types_[kMostTypes];
};

}  // namespace xsp::guest
