#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace xsp {

/// Distinct texts, numbered from 1 in order of their first use; 0 is the empty one. Texts never move.
class StringPool {
 public:
  uint32_t intern(std::string_view text);
  std::string_view text(uint32_t id) const { return id == 0 ? std::string_view() : texts_[id - 1]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::string_view keep(std::string_view text);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<uint32_t> slots_;  // id by hash, open addressing; 0: free
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
};

}  // namespace xsp
