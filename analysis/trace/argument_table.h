#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/trace/argument_layout.h"
#include "analysis/trace/string_table.h"

namespace xsp::analysis {

/// The arguments of all calls, as columns: SpanTable::arguments says which entry a span has. Strings in the values are
/// ids of the trace's StringTable.
class ArgumentTable {
 public:
  size_t size() const { return layout_.size(); }
  const ArgumentLayout& layout(uint32_t entry) const { return layouts_[layout_[entry]]; }
  std::string_view values(uint32_t entry) const {
    const uint64_t begin = first_byte_[entry];
    const uint64_t end = entry + 1 < first_byte_.size() ? first_byte_[entry + 1] : bytes_.size();
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, static_cast<size_t>(end - begin)};
  }

  /// Adds an entry and returns its number. `layout` is the id of a layout string of `texts`; the ids of strings in
  /// `values` are those of `strings`, and uses of undefined ones are added to `missing_strings`.
  uint32_t add(uint32_t layout, std::string_view values, const StringTable& texts, const ProcessStrings& strings,
               uint64_t* missing_strings);

  /// Layouts that break the grammar.
  uint64_t damaged_layouts() const { return damaged_layouts_; }

 private:
  uint32_t layout_number(uint32_t id, const StringTable& texts);

  std::vector<ArgumentLayout> layouts_;
  std::unordered_map<uint32_t, uint32_t> layout_numbers_;  // by string id
  std::vector<uint32_t> layout_;                           // by entry
  std::vector<uint64_t> first_byte_;
  std::vector<uint8_t> bytes_;
  uint64_t damaged_layouts_ = 0;
};

}  // namespace xsp::analysis
