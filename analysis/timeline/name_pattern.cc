#include "analysis/timeline/name_pattern.h"

#include <regex>

namespace xsp::analysis {
namespace {

constexpr size_t kMaxPattern = 1024;
constexpr size_t kMaxName = 4096;
constexpr const char* kHint = "write a regular expression, such as '.*forward.*'; \\( is a parenthesis";

/// libstdc++'s default is backtracking: exponential time, and a stack as deep as the text is long.
constexpr auto kSyntax = std::regex_constants::ECMAScript | std::regex_constants::optimize
#ifdef __GLIBCXX__
                         | std::regex_constants::__polynomial
#endif
    ;

/// Whether a repetition count, or the number after a backslash, has more digits than anyone can mean: libstdc++
/// computes it in an int without a check.
bool has_endless_number(std::string_view pattern) {
  constexpr size_t kMostDigits = 5;
  bool is_counted = false;  // inside braces, or behind a backslash
  bool in_braces = false;
  size_t digits = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c >= '0' && c <= '9') {
      if (is_counted && ++digits > kMostDigits) return true;
      continue;
    }
    digits = 0;
    if (c == '{') in_braces = true;
    if (c == '}') in_braces = false;
    is_counted = in_braces;
    if (c != '\\' || i + 1 == pattern.size()) continue;
    if (pattern[i + 1] >= '0' && pattern[i + 1] <= '9') {
      is_counted = true;
    } else {
      ++i;  // a brace by itself
    }
  }
  return false;
}

}  // namespace

struct NamePattern::Compiled {
  std::regex expression;
};

NamePattern::NamePattern() = default;
NamePattern::~NamePattern() = default;
NamePattern::NamePattern(NamePattern&&) noexcept = default;
NamePattern& NamePattern::operator=(NamePattern&&) noexcept = default;

Status NamePattern::set(const std::string& pattern) {
  if (pattern.size() > kMaxPattern)
    return {"the regular expression is longer than 1024 bytes", "use a shorter one, such as '.*forward.*'"};
  if (has_endless_number(pattern)) {
    return {"'" + pattern + "' is no regular expression (a number is too large)", kHint};
  }
  try {
    compiled_ = std::make_unique<Compiled>(Compiled{std::regex(pattern, kSyntax)});
  } catch (const std::regex_error& error) {
    return {"'" + pattern + "' is no regular expression (" + error.what() + ")", kHint};
  }
  known_.clear();
  return {};
}

bool NamePattern::matches(const StringTable& strings, uint32_t id) {
  if (known_.size() <= id) known_.resize(strings.size() > id ? strings.size() : id + 1);
  uint8_t& answer = known_[id];
  if (answer == 0) {
    const std::string_view name = strings.text(id).substr(0, kMaxName);
    answer = std::regex_match(name.begin(), name.end(), compiled_->expression) ? 2 : 1;
  }
  return answer == 2;
}

}  // namespace xsp::analysis
