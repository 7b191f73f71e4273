#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proto/string_ids.h"

namespace xsp::analysis {

/// Every distinct text of the input once, under a global id. Id 0 is "none", the empty text.
class StringTable {
 public:
  /// What a span carries whose string was lost or damaged.
  static constexpr uint32_t kMissing = 1;

  StringTable();
  uint32_t intern(std::string_view text);
  /// Bytes as recorded: neither UTF-8 nor printable for certain.
  std::string_view text(uint32_t id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }
  /// The id stands for another text from now on, which another id may have too.
  void replace(uint32_t id, std::string_view text);

 private:
  std::deque<std::string> storage_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> ids_;
};

/// The string ids of one process in the file, mapped to global ids. The guest counts from 1 and the collector from
/// kFirstCollectorString, both nearly without gaps; other ids are allowed and cost more. Memory follows the strings
/// that are there, never the ids that are claimed.
class ProcessStrings {
 public:
  /// False when `id` already stands for another text: the first one stays.
  bool define(uint32_t id, uint32_t global);

  /// The global id; 0 for 0, StringTable::kMissing for an id that was not defined.
  uint32_t find(uint32_t id) const {
    if (id < guest_.size()) return guest_[id];
    const uint32_t offset = id - kFirstCollectorString;
    if (id >= kFirstCollectorString && offset < collector_.size()) return collector_[offset];
    return find_sparse(id);
  }

 private:
  uint32_t find_sparse(uint32_t id) const;

  std::vector<uint32_t> guest_ = {0};
  std::vector<uint32_t> collector_;
  std::unordered_map<uint32_t, uint32_t> sparse_;
};

}  // namespace xsp::analysis
