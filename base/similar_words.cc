#include "base/similar_words.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace xsp {
namespace {

/// Longer words are not taken for slips of known ones.
constexpr size_t kLongest = 64;
constexpr size_t kShortestBeginning = 3;

std::string folded(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  text.erase(0, std::min(text.find_first_not_of('-'), text.size()));
  return text;
}

size_t most_changes(size_t length) { return length <= 2 ? 0 : length <= 5 ? 1 : length <= 8 ? 2 : 3; }

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last;
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      if (i == 0 || j == 0 || a[i] != b[j - 1] || a[i - 1] != b[j]) continue;
      row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  return row.back();
}

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  if (word.size() > kLongest) return {};
  const std::string wanted = folded(word);
  const std::string* nearest = nullptr;
  size_t fewest = most_changes(wanted.size()) + 1;
  for (const std::string& candidate : known) {
    const std::string other = folded(candidate);
    const size_t changes = edit_distance(wanted, other);
    if (changes >= fewest || changes >= other.size()) continue;
    fewest = changes;
    nearest = &candidate;
  }
  if (nearest != nullptr) return *nearest;
  if (wanted.size() < kShortestBeginning) return {};
  for (const std::string& candidate : known) {
    const std::string other = folded(candidate);
    const bool begins = other.starts_with(wanted) || (other.size() >= kShortestBeginning && wanted.starts_with(other));
    if (begins && (nearest == nullptr || candidate.size() < nearest->size())) nearest = &candidate;
  }
  return nearest == nullptr ? std::string() : *nearest;
}

std::string choice_hint(std::string_view word, std::span<const std::string> known, std::string_view also) {
  std::string list;
  for (const std::string& candidate : known) list += (list.empty() ? "" : ", ") + candidate;
  if (!also.empty()) list.append(", ").append(also);
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "known: " + list : "did you mean " + nearest + "? Known: " + list;
}

}  // namespace xsp
