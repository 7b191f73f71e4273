#include "import/frame/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace xsp {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;
constexpr size_t kFirstSlots = 64;

size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

uint32_t StringPool::intern(std::string_view text) {
  if (text.empty()) return 0;
  if (slots_.size() < 2 * (texts_.size() + 1)) grow();
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash_of(text) & mask;; at = (at + 1) & mask) {
    uint32_t& slot = slots_[at];
    if (slot == 0) {
      texts_.push_back(keep(text));
      slot = size();
      return slot;
    }
    if (texts_[slot - 1] == text) return slot;
  }
}

std::string_view StringPool::keep(std::string_view text) {
  if (block_size_ - block_used_ < text.size()) {
    // A long text gets a block of its own size; the rest of the last block is wasted.
    block_size_ = std::max(kBlockBytes, text.size());
    block_used_ = 0;
    blocks_.emplace_back(new char[block_size_]);
  }
  char* at = blocks_.back().get() + block_used_;
  std::memcpy(at, text.data(), text.size());
  block_used_ += text.size();
  return {at, text.size()};
}

void StringPool::grow() {
  std::vector<uint32_t> slots(std::max(kFirstSlots, slots_.size() * 2));
  const size_t mask = slots.size() - 1;
  for (uint32_t id = 1; id <= size(); ++id) {
    size_t at = hash_of(texts_[id - 1]) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = id;
  }
  slots_ = std::move(slots);
}

}  // namespace xsp
