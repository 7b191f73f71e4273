#include "analysis/trace/argument_layout.h"

#include <algorithm>
#include <charconv>

namespace xsp::analysis {
namespace {

/// A layout has one field for each parameter of a function and a few more; longer ones are damage.
constexpr size_t kMaxFields = 256;
constexpr size_t kMaxNamedValues = 4096;

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

ArgumentField::Kind kind_of(char letter, uint8_t width) {
  switch (letter) {
    case 'i':
      return ArgumentField::Kind::kSigned;
    case 'u':
      return ArgumentField::Kind::kUnsigned;
    case 'f':
      return width >= 4 ? ArgumentField::Kind::kFloat : ArgumentField::Kind::kUnknown;
    case 'p':
      return width == 8 ? ArgumentField::Kind::kAddress : ArgumentField::Kind::kUnknown;
    case 's':
      return width == 4 ? ArgumentField::Kind::kText : ArgumentField::Kind::kUnknown;
    case 'e':
      return ArgumentField::Kind::kEnumeration;
    default:
      return ArgumentField::Kind::kUnknown;
  }
}

/// "0=N,1=T,2=C"
bool read_values(std::string_view text, ArgumentField* field) {
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(entry.data(), entry.data() + entry.size(), value);
    if (failure != std::errc() || end == entry.data() + entry.size() || *end != '=') return false;
    if (field->values.size() == kMaxNamedValues) return false;
    field->values.emplace_back(value, entry.substr(static_cast<size_t>(end - entry.data()) + 1));
  }
  return true;
}

/// "m:i4", "op_a:e1{0=N,1=T}" or "class=gemm"
bool read_field(std::string_view text, ArgumentField* field) {
  const size_t mark = text.find_first_of(":=");
  if (mark == std::string_view::npos || !is_name(text.substr(0, mark))) return false;
  field->name = text.substr(0, mark);
  if (text[mark] == '=') {
    field->kind = ArgumentField::Kind::kConstant;
    field->constant = text.substr(mark + 1);
    return true;
  }
  text.remove_prefix(mark + 1);
  if (text.size() < 2) return false;
  const char width = text[1];
  if (width != '1' && width != '2' && width != '4' && width != '8') return false;
  field->width = static_cast<uint8_t>(width - '0');
  field->kind = kind_of(text[0], field->width);
  if (text.size() == 2) return true;
  // What follows the width of a kind of a later version is its own.
  if (field->kind == ArgumentField::Kind::kUnknown) return true;
  if (field->kind != ArgumentField::Kind::kEnumeration || text[2] != '{' || text.back() != '}') return false;
  return read_values(text.substr(3, text.size() - 4), field);
}

}  // namespace

std::string_view ArgumentField::name_of(int64_t value) const {
  for (const auto& [number, text] : values) {
    if (number == value) return text;
  }
  return {};
}

ArgumentLayout ArgumentLayout::parse(std::string_view text) {
  ArgumentLayout layout;
  uint32_t offset = 0;
  while (!text.empty() && !layout.damaged) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    ArgumentField field;
    field.offset = offset;
    if (layout.fields.size() == kMaxFields || !read_field(word, &field)) {
      layout.damaged = true;
      break;
    }
    offset += field.width;
    layout.fields.push_back(std::move(field));
  }
  return layout;
}

const ArgumentField* ArgumentLayout::find(std::string_view name) const {
  for (const ArgumentField& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace xsp::analysis
