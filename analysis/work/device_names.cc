#include "analysis/work/device_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

using Words = std::vector<std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "rtx4090ti" as people type it, and "GRID RTX6000".
void add_word(std::string word, Words* words) {
  for (const std::string_view family : {"rtx", "gtx"}) {
    if (word.size() > family.size() && word.starts_with(family)) {
      words->emplace_back(family);
      word.erase(0, family.size());
    }
  }
  for (const std::string_view suffix : {"ti", "super"}) {
    if (word.size() > suffix.size() && word.ends_with(suffix) && is_digit(word[word.size() - suffix.size() - 1])) {
      words->push_back(word.substr(0, word.size() - suffix.size()));
      words->emplace_back(suffix);
      return;
    }
  }
  words->push_back(std::move(word));
}

Words words_of(std::string_view text) {
  Words words;
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      add_word(std::move(word), &words);
      word.clear();
    }
  }
  if (!word.empty()) add_word(std::move(word), &words);
  return words;
}

bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words that make another product of a number: "RTX 4070 Ti" is no "RTX 4070".
constexpr std::array<std::string_view, 16> kQualifiers = {"ti",  "super",     "laptop", "mobile", "max",    "q",
                                                          "ada", "blackwell", "pro",    "titan",  "quadro", "nvl",
                                                          "d",   "sff",       "xp",     "tegra"};

bool is_qualifier(std::string_view word) {
  return std::find(kQualifiers.begin(), kQualifiers.end(), word) != kQualifiers.end();
}

/// A vGPU's model tells the board: "GRID V100D-8Q" is a part of a Tesla V100 of 32 GB.
bool has_model_word(const Words& name, std::string_view word, const Words& variant) {
  if (contains(name, word)) return true;
  return std::any_of(name.begin(), name.end(), [&](const std::string& own) {
    return own.size() > word.size() && own.starts_with(word) && !is_digit(own[word.size()]) && contains(variant, own);
  });
}

struct Listed {
  const ListedDevice* device;
  Words model;
  Words variant;
};

const std::vector<Listed>& listed() {
  static const std::vector<Listed> kListed = [] {
    std::vector<Listed> all;
    for (const ListedDevice& device : listed_devices()) {
      all.push_back({&device, words_of(device.model), words_of(device.variant)});
    }
    return all;
  }();
  return kListed;
}

bool is_named(const Listed& entry, const Words& name) {
  const auto known = [&](const std::string& word) {
    return contains(entry.model, word) || contains(entry.variant, word);
  };
  return std::all_of(entry.model.begin(), entry.model.end(),
                     [&](const std::string& word) { return has_model_word(name, word, entry.variant); }) &&
         std::all_of(name.begin(), name.end(),
                     [&](const std::string& word) { return !is_qualifier(word) || known(word); });
}

/// More words in common, then the multiprocessors, then the nearest memory; of equal ones the first.
struct Likeness {
  size_t words = 0;
  bool same_multiprocessors = false;
  double memory_distance = 0;

  bool operator>(const Likeness& other) const {
    if (words != other.words) return words > other.words;
    if (same_multiprocessors != other.same_multiprocessors) return same_multiprocessors;
    return memory_distance < other.memory_distance - 1;
  }
};

size_t common_words(const Listed& entry, const Words& name) {
  size_t common = entry.model.size();
  for (const std::string& word : entry.variant) common += contains(name, word) ? 1 : 0;
  return common;
}

}  // namespace

const ListedDevice* find_listed(const Device& device) {
  const Words name = words_of(device.name);
  const double memory_gb = static_cast<double>(device.memory_bytes) / 1e9;
  const ListedDevice* found = nullptr;
  Likeness best;
  for (const Listed& entry : listed()) {
    if (!is_named(entry, name)) continue;
    const Likeness own{.words = common_words(entry, name),
                       .same_multiprocessors = device.multiprocessors == entry.device->multiprocessors,
                       .memory_distance = memory_gb == 0 ? 0 : std::fabs(memory_gb - entry.device->memory_gb)};
    if (found != nullptr && !(own > best)) continue;
    best = own;
    found = entry.device;
  }
  return found;
}

const ListedDevice* find_meant(std::string_view text) {
  const Words given = words_of(text);
  if (given.empty()) return nullptr;
  if (const ListedDevice* exact = find_listed({.name = std::string(text)})) return exact;
  const ListedDevice* found = nullptr;
  size_t fewest = std::numeric_limits<size_t>::max();
  for (const Listed& entry : listed()) {
    const Words own = words_of(entry.device->name);
    const bool all = std::all_of(given.begin(), given.end(), [&](const std::string& word) {
      return word == "nvidia" || contains(own, word) || contains(entry.model, word) || contains(entry.variant, word);
    });
    const bool tells = std::any_of(given.begin(), given.end(), [&](const std::string& word) {
      return contains(entry.model, word) && std::any_of(word.begin(), word.end(), is_digit);
    });
    if (!all || !tells || entry.model.size() >= fewest) continue;
    fewest = entry.model.size();
    found = entry.device;
  }
  return found;
}

std::vector<std::string> similar_names(std::string_view text, size_t count) {
  const Words given = words_of(text);
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const Listed& entry : listed()) {
    size_t distance = 0;
    for (const std::string& word : given) {
      size_t nearest = word.size();
      for (const Words* words : {&entry.model, &entry.variant}) {
        for (const std::string& own : *words) nearest = std::min(nearest, edit_distance(word, own));
      }
      distance += nearest;
    }
    ranked.emplace_back(distance, entry.device->name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, name] : ranked) {
    if (names.size() < count) names.push_back(name);
  }
  return names;
}

bool is_instance(std::string_view name) { return contains(words_of(name), "mig"); }

}  // namespace xsp::analysis
