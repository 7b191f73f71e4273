#include "test/analysis/mining/sequences.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace xsp::test {

Symbols symbols_of(std::string_view letters) {
  Symbols symbols;
  for (const char letter : letters) symbols.push_back(static_cast<uint32_t>(letter - 'a'));
  return symbols;
}

std::string text_of(const Symbols& symbols) {
  std::string text;
  for (const uint32_t symbol : symbols) text += (text.empty() ? "" : " ") + std::to_string(symbol);
  return text;
}

Symbols operator+(Symbols a, const Symbols& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Symbols operator*(uint32_t times, const Symbols& symbols) {
  Symbols result;
  for (uint32_t i = 0; i < times; ++i) result.insert(result.end(), symbols.begin(), symbols.end());
  return result;
}

Symbols random_symbols(size_t size, uint32_t alphabet, std::mt19937& random) {
  std::uniform_int_distribution<uint32_t> symbol(0, alphabet - 1);
  Symbols symbols(size);
  for (uint32_t& each : symbols) each = symbol(random);
  return symbols;
}

Symbols fibonacci_word(size_t size) {
  Symbols before = {1};
  Symbols word = {0};
  while (word.size() < size) before = std::exchange(word, word + before);
  word.resize(size);
  return word;
}

Symbols thue_morse_word(size_t size) {
  Symbols word(size);
  for (size_t i = 1; i < size; ++i) word[i] = i % 2 == 0 ? word[i / 2] : 1 - word[i / 2];
  return word;
}

Symbols de_bruijn_word(uint32_t alphabet, uint32_t length) {
  // By concatenation of the Lyndon words whose length divides `length`, in order.
  Symbols word;
  Symbols lyndon = {0};
  while (!lyndon.empty()) {
    if (length % lyndon.size() == 0) word.insert(word.end(), lyndon.begin(), lyndon.end());
    const size_t period = lyndon.size();
    while (lyndon.size() < length) lyndon.push_back(lyndon[lyndon.size() - period]);
    while (!lyndon.empty() && lyndon.back() == alphabet - 1) lyndon.pop_back();
    if (!lyndon.empty()) ++lyndon.back();
  }
  return word;
}

Symbols increasing_symbols(size_t size) {
  Symbols symbols(size);
  std::iota(symbols.begin(), symbols.end(), 0);
  return symbols;
}

void for_each_sequence(size_t longest, size_t random_ones, const std::function<void(const Symbols&)>& visit) {
  for (size_t size = 0; size <= longest; size = size < 10 ? size + 1 : size * 3 / 2) {
    const Symbols same(size, 0);
    visit(same);
    visit(same + Symbols{1});
    visit(Symbols{1} + same);
    visit(fibonacci_word(size));
    visit(thue_morse_word(size));
    visit(increasing_symbols(size));
    Symbols falling = increasing_symbols(size);
    std::reverse(falling.begin(), falling.end());
    visit(falling);
  }
  for (const auto& [alphabet, length] : {std::pair{2U, 3U}, {2U, 5U}, {3U, 3U}, {4U, 2U}, {2U, 10U}}) {
    const Symbols word = de_bruijn_word(alphabet, length);
    if (word.size() <= longest) visit(word);
  }
  std::mt19937 random(20180527);
  std::uniform_int_distribution<size_t> size_of(0, longest);
  for (size_t i = 0; i < random_ones; ++i) {
    const size_t size = size_of(random);
    const auto all = static_cast<uint32_t>(std::max<size_t>(size, 2));
    const uint32_t alphabets[] = {2, 3, 5, 26, all};
    const uint32_t alphabet = alphabets[i % 5];
    if (i % 2 == 0) {
      visit(random_symbols(size, alphabet, random));
      continue;
    }
    // A period, of which now and then a symbol is another.
    const Symbols period = random_symbols(1 + size_of(random) / 4, alphabet, random);
    Symbols symbols(size);
    for (size_t place = 0; place < size; ++place) {
      symbols[place] = random() % 30 == 0 ? static_cast<uint32_t>(random()) % alphabet : period[place % period.size()];
    }
    visit(symbols);
  }
}

}  // namespace xsp::test
