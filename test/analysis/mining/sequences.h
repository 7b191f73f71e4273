#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::test {

using Symbols = std::vector<xsp::analysis::Symbol>;

/// "abac" as 0, 1, 0, 2.
Symbols symbols_of(std::string_view letters);

std::string text_of(const Symbols& symbols);

Symbols operator+(Symbols a, const Symbols& b);
Symbols operator*(uint32_t times, const Symbols& symbols);

Symbols random_symbols(size_t size, uint32_t alphabet, std::mt19937& random);

// Sequences that are hard for structures over repeats.
Symbols fibonacci_word(size_t size);
Symbols thue_morse_word(size_t size);
Symbols de_bruijn_word(uint32_t alphabet, uint32_t length);
Symbols increasing_symbols(size_t size);

/// Calls with sequences of at most `longest` symbols: the empty one, all equal, the words above, a run with another
/// symbol at either end, rising and falling, periods with noise, and `random_ones` random ones over alphabets from two
/// symbols to as many as there are positions.
void for_each_sequence(size_t longest, size_t random_ones, const std::function<void(const Symbols&)>& visit);

}  // namespace xsp::test
