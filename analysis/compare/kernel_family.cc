#include "analysis/compare/kernel_family.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace xsp::analysis {
namespace {

constexpr std::array<std::string_view, 10> kArchitectures = {"kepler", "maxwell", "pascal", "volta",     "turing",
                                                             "ampere", "ada",     "hopper", "blackwell", "lovelace"};

/// Words of template arguments that are types, or belong to one.
constexpr std::array<std::string_view, 34> kTypes = {
    "float",    "double",        "half",        "Half",       "BFloat16",   "bfloat16",      "bool",
    "char",     "short",         "int",         "long",       "signed",     "unsigned",      "void",
    "const",    "size_t",        "int8_t",      "uint8_t",    "int16_t",    "uint16_t",      "int32_t",
    "uint32_t", "int64_t",       "uint64_t",    "complex",    "__half",     "__nv_bfloat16", "tfloat32",
    "half_t",   "Float8_e4m3fn", "Float8_e5m2", "bfloat16_t", "tfloat32_t", "float_e4m3_t"};

/// Prefixes of the numbers of sizes, stages and versions: "tilesize128x64", "stage4", "align8", "sm80".
constexpr std::array<std::string_view, 17> kNumbered = {
    "",          "sm",  "compute",       "tilesize", "warpsize", "tensor", "stage",       "stages", "align",
    "alignment", "ldg", "warpgroupsize", "tile",     "v",        "g",      "clustersize", "bz"};

template <size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether a part of a name between underscores distinguishes versions of a kernel, not kernels.
bool is_version(std::string_view part) {
  if (is_one_of(kArchitectures, part) || part == "stages" || part.empty()) return true;
  const auto letters = static_cast<size_t>(std::find_if(part.begin(), part.end(), is_digit) - part.begin());
  if (letters == part.size() || !is_one_of(kNumbered, part.substr(0, letters))) return false;
  std::string_view sizes = part.substr(letters);
  if (part.starts_with("sm") && !is_digit(sizes.back())) sizes.remove_suffix(1);  // sm90a
  return std::all_of(sizes.begin(), sizes.end(), [](char c) { return is_digit(c) || c == 'x'; });
}

/// "ampere_sgemm_128x64_nn" → "sgemm_nn". A word that is nothing but versions stays as it is.
std::string without_versions(std::string_view word) {
  std::string left;
  size_t begin = 0;
  while (begin <= word.size()) {
    const size_t end = std::min(word.find('_', begin), word.size());
    const std::string_view part = word.substr(begin, end - begin);
    if (!is_version(part)) left.append(left.empty() ? "" : "_").append(part);
    begin = end + 1;
  }
  return left.empty() ? std::string(word) : left;
}

/// Where the bracket that opens at `open` closes; the end where it never does.
size_t closing(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return text.size();
}

/// Appends the words of a name that say what it does.
void append_words(std::string_view text, std::string* family) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  size_t lists = 0;  // of template arguments, around this place
  for (size_t i = 0; i < text.size();) {
    const bool is_argument = lists > 0;
    if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size();
      continue;
    }
    if (text[i] == '(') {
      // The parameters of "f(int)" say nothing; "(cudnnGenericOp_t)3" among arguments may be another operation.
      const size_t begin = i;
      i = closing(text, i) + 1;
      size_t end = i;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (is_argument && end > i) family->append(" ").append(text.substr(begin, end - begin));
      i = end;
      continue;
    }
    if (text[i] == '<') ++lists;
    if (text[i] == '>' && lists > 0) --lists;
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const bool is_number = is_digit(word.front());
    const bool is_type = is_one_of(kTypes, word) || (is_argument && (word == "true" || word == "false"));
    i = end;
    // In "c10::Half" the namespace belongs to a type that contributes nothing to the name.
    const bool is_types_namespace = word == "c10" || word == "std" || word == "cutlass" || word == "cute";
    if (is_number || is_type || (is_argument && is_types_namespace)) continue;
    family->append(family->empty() ? "" : " ").append(without_versions(word));
  }
}

}  // namespace

std::string kernel_family(std::string_view name) {
  constexpr size_t kMostRead = 4096;  // what is behind it says nothing more, and takes time
  std::string family;
  name = name.substr(0, kMostRead);
  append_words(name, &family);
  return family.empty() ? std::string(name) : family;
}

}  // namespace xsp::analysis
