#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::test {

/// Splits the bytes of a fuzzer's input, from its beginning; past its end, zeros and empty texts.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  template <typename Number>
  Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::string_view take(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Up to the next end of line, which is consumed too.
  std::string_view line() {
    const size_t end = rest_.find('\n');
    const std::string_view text = take(end == std::string_view::npos ? rest_.size() : end);
    take(1);
    return text;
  }
  std::vector<std::string> lines(size_t most) {
    std::vector<std::string> all;
    while (!rest_.empty() && all.size() < most) all.emplace_back(line());
    return all;
  }
  bool is_empty() const { return rest_.empty(); }
  std::string_view rest() { return take(rest_.size()); }

 private:
  std::string_view rest_;
};

}  // namespace xsp::test
