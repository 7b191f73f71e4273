#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace xsp::bound {

/// Bytes of a stream as lines.
class LineBuffer {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }

  /// The next whole line, without its end.
  std::optional<std::string> next() {
    const size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = bytes_.size();
      return std::nullopt;
    }
    std::string line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    searched_ = 0;
    return line;
  }
  /// Of the line that has no end yet, and all behind it.
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  size_t searched_ = 0;
};

}  // namespace xsp::bound
