#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace xsp::analysis {

/// One field of a layout (proto/README.md, "Arguments of calls").
struct ArgumentField {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat, kAddress, kText, kEnumeration, kConstant, kUnknown };

  std::string_view name;
  Kind kind = Kind::kUnknown;
  uint8_t width = 0;                                         // bytes of the values; 0: a constant
  uint32_t offset = 0;                                       // in the values
  std::string_view constant;                                 // of kConstant
  std::vector<std::pair<int64_t, std::string_view>> values;  // of kEnumeration: named values

  /// Name of an enumeration's value; empty for one without.
  std::string_view name_of(int64_t value) const;
};

/// What the bytes of a call's arguments mean: a layout string, read once. Refers to the text it was read from.
struct ArgumentLayout {
  std::vector<ArgumentField> fields;
  bool damaged = false;  // the text breaks the grammar; `fields` are those before that place

  static ArgumentLayout parse(std::string_view text);

  /// Null when there is none of that name.
  const ArgumentField* find(std::string_view name) const;
};

}  // namespace xsp::analysis
