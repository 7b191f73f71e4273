#include "analysis/mining/repetitions.h"

#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

/// Every stretch of every period, the smallest period of a stretch only.
std::vector<Repetition> tried_repetitions(const Symbols& symbols) {
  const auto size = static_cast<uint32_t>(symbols.size());
  std::vector<Repetition> found;
  for (uint32_t begin = 0; begin < size; ++begin) {
    for (uint32_t end = begin + 2; end <= size; ++end) {
      for (uint32_t period = 1; 2 * period <= end - begin; ++period) {
        bool repeats = true;
        for (uint32_t i = begin + period; i < end && repeats; ++i) repeats = symbols[i] == symbols[i - period];
        if (!repeats) continue;
        const bool extends = (begin > 0 && symbols[begin - 1] == symbols[begin - 1 + period]) ||
                             (end < size && symbols[end] == symbols[end - period]);
        if (!extends) found.push_back({begin, end, period});
        break;
      }
    }
  }
  return found;
}

TEST_CASE("repetitions: maximal ones with their smallest periods") {
  CHECK(maximal_repetitions(symbols_of("xababay")) == std::vector<Repetition>{{1, 6, 2}});
  CHECK(maximal_repetitions(symbols_of("aaaa")) == std::vector<Repetition>{{0, 4, 1}});
  CHECK(maximal_repetitions(symbols_of("aabaab")) == std::vector<Repetition>{{0, 2, 1}, {0, 6, 3}, {3, 5, 1}});
}

TEST_CASE("repetitions: agree with trying all stretches and periods") {
  for_each_sequence(45, 3000, [](const Symbols& symbols) {
    if (maximal_repetitions(symbols) == tried_repetitions(symbols)) return;
    INFO(text_of(symbols));
    CHECK(maximal_repetitions(symbols) == tried_repetitions(symbols));
  });
}

}  // namespace
}  // namespace xsp::analysis
