#include "analysis/trace/string_table.h"

namespace xsp::analysis {

StringTable::StringTable() {
  intern("");
  intern("(name lost)");
}

uint32_t StringTable::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<uint32_t>(texts_.size());
  texts_.emplace_back(storage_.emplace_back(text));
  ids_.emplace(texts_.back(), id);
  return id;
}

void StringTable::replace(uint32_t id, std::string_view text) {
  if (const auto known = ids_.find(texts_[id]); known != ids_.end() && known->second == id) ids_.erase(known);
  texts_[id] = storage_.emplace_back(text);
  ids_.try_emplace(texts_[id], id);
}

bool ProcessStrings::define(uint32_t id, uint32_t global) {
  if (id == 0) return false;
  const uint32_t known = find(id);
  if (known != StringTable::kMissing) return known == global;
  if (id == guest_.size()) {
    guest_.push_back(global);
  } else if (id >= kFirstCollectorString && id - kFirstCollectorString == collector_.size()) {
    collector_.push_back(global);
  } else {
    sparse_.emplace(id, global);
  }
  return true;
}

uint32_t ProcessStrings::find_sparse(uint32_t id) const {
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? StringTable::kMissing : found->second;
}

}  // namespace xsp::analysis
