#include "analysis/trace/argument_table.h"

#include <cstring>

namespace xsp::analysis {

uint32_t ArgumentTable::layout_number(uint32_t id, const StringTable& texts) {
  const auto [found, added] = layout_numbers_.try_emplace(id, static_cast<uint32_t>(layouts_.size()));
  if (added) {
    layouts_.push_back(ArgumentLayout::parse(texts.text(id)));
    damaged_layouts_ += layouts_.back().damaged ? 1 : 0;
  }
  return found->second;
}

uint32_t ArgumentTable::add(uint32_t layout, std::string_view values, const StringTable& texts,
                            const ProcessStrings& strings, uint64_t* missing_strings) {
  const auto entry = static_cast<uint32_t>(layout_.size());
  const size_t begin = bytes_.size();
  layout_.push_back(layout_number(layout, texts));
  first_byte_.push_back(begin);
  bytes_.insert(bytes_.end(), values.begin(), values.end());
  for (const ArgumentField& field : layouts_[layout_.back()].fields) {
    if (field.kind != ArgumentField::Kind::kText || field.offset + sizeof(uint32_t) > values.size()) continue;
    uint8_t* const at = bytes_.data() + begin + field.offset;
    uint32_t id = 0;
    std::memcpy(&id, at, sizeof id);
    id = strings.find(id);
    if (id == StringTable::kMissing) ++*missing_strings;
    std::memcpy(at, &id, sizeof id);
  }
  return entry;
}

}  // namespace xsp::analysis
