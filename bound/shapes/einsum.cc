#include "bound/shapes/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "bound/onnx/node_text.h"

namespace xsp::bound {
namespace {

constexpr char kEllipsis = '.';

/// Subscripts of one operand, a letter a dimension, with "..." as one kEllipsis. Nothing for what is none.
std::optional<std::string> subscripts_of(std::string_view term) {
  std::string subscripts;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "...") {
      if (subscripts.find(kEllipsis) != std::string::npos) return std::nullopt;
      subscripts += kEllipsis;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
      subscripts += term[i];
    } else {
      return std::nullopt;
    }
  }
  return subscripts;
}

struct Sizes {
  std::array<std::optional<int64_t>, 128> by_letter;
  std::array<int, 128> uses{};
  Dimensions ellipsis;
};

/// Takes over the sizes of one operand; false where they contradict those before.
bool take_operand(const std::string& subscripts, const Dimensions& shape, Sizes* sizes) {
  const bool has_ellipsis = subscripts.find(kEllipsis) != std::string::npos;
  const size_t letters = subscripts.size() - (has_ellipsis ? 1 : 0);
  if (letters > shape.size() || (!has_ellipsis && letters != shape.size())) return false;
  size_t at = 0;
  for (const char letter : subscripts) {
    if (letter == kEllipsis) {
      const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(at);
      const size_t count = shape.size() - letters;
      if (!broadcast(sizes->ellipsis, Dimensions(begin, begin + static_cast<std::ptrdiff_t>(count)), &sizes->ellipsis))
        return false;
      at += count;
      continue;
    }
    std::optional<int64_t>& size = sizes->by_letter[static_cast<size_t>(letter)];
    ++sizes->uses[static_cast<size_t>(letter)];
    if (!size || *size == 1) size = shape[at];
    if (shape[at] != *size && shape[at] != 1) return false;
    ++at;
  }
  return true;
}

}  // namespace

Finding einsum_shape(std::string_view equation, const std::vector<const Dimensions*>& operands, Dimensions* result) {
  std::string text;
  for (const char c : equation)
    if (c != ' ') text += c;
  const Finding wrong =
      Finding::impossible(fmt::format("the equation \"{}\" does not fit its inputs", name_text(equation)));
  const size_t arrow = text.find("->");
  Sizes sizes;
  std::string_view left = std::string_view(text).substr(0, arrow);
  bool any_ellipsis = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t end = left.find(',');
    const auto subscripts = subscripts_of(left.substr(0, end));
    if (!subscripts || !take_operand(*subscripts, *operands[i], &sizes)) return wrong;
    any_ellipsis = any_ellipsis || subscripts->find(kEllipsis) != std::string::npos;
    const bool is_last = i + 1 == operands.size();
    if (is_last != (end == std::string_view::npos)) return wrong;
    left = is_last ? std::string_view() : left.substr(end + 1);
  }
  std::string output;
  if (arrow != std::string::npos) {
    const auto subscripts = subscripts_of(std::string_view(text).substr(arrow + 2));
    if (!subscripts) return wrong;
    output = *subscripts;
  } else {
    if (any_ellipsis) output += kEllipsis;
    for (size_t letter = 0; letter < sizes.uses.size(); ++letter)
      if (sizes.uses[letter] == 1) output += static_cast<char>(letter);
  }
  Dimensions shape;
  for (const char letter : output) {
    if (letter == kEllipsis) {
      shape.insert(shape.end(), sizes.ellipsis.begin(), sizes.ellipsis.end());
    } else if (const auto& size = sizes.by_letter[static_cast<size_t>(letter)]) {
      shape.push_back(*size);
    } else {
      return wrong;
    }
  }
  *result = std::move(shape);
  return Finding::known();
}

}  // namespace xsp::bound
