#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/trace/string_table.h"
#include "base/status.h"

namespace xsp::analysis {

/// A regular expression (ECMAScript, without back references) that whole names match. Answers are kept by string id.
/// The time of a match is bounded by the product of the lengths of pattern and name, for both may come from a file; of
/// longer names than 4 KiB the beginning counts.
class NamePattern {
 public:
  NamePattern();
  ~NamePattern();
  NamePattern(NamePattern&&) noexcept;
  NamePattern& operator=(NamePattern&&) noexcept;

  /// An error says what is wrong with the pattern.
  Status set(const std::string& pattern);
  bool matches(const StringTable& strings, uint32_t id);

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::vector<uint8_t> known_;  // by string id: 0 not known, 1 no, 2 yes
};

}  // namespace xsp::analysis
